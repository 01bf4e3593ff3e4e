"""`cardiac keys --json`: a JSON Schema that every example fulfils, in short and resolved, and that mistakes do not."""
import glob
import json
import os

from support import Case, main, needs, source


class Schema(Case):
    @needs("jsonschema", "yaml")
    def test_schema(self):
        import jsonschema
        import yaml

        check = jsonschema.Draft202012Validator(json.loads(self.shell("keys", "--json")))
        check.check_schema(check.schema)
        configs = sorted(glob.glob(os.path.join(source, "configs", "*.yaml")))
        self.assertGreater(len(configs), 5)
        for path in configs:
            with open(path) as file:
                config = yaml.safe_load(file)
            self.assertEqual([str(error) for error in check.iter_errors(config)], [], path)
        for path, value in ((["solver", "thetta"], 1), (["solver", "method"], "jacoby"), (["stimuli", 0, "box"], 3), (["time"], {"end": "1 ms", "stop": 1}),
                            (["tissue", "regions", 0, "tgas"], [1])):
            with open(configs[0]) as file:
                config = yaml.safe_load(file)
            inner = config
            for name in path[:-1]:
                inner = inner.setdefault(name, {}) if isinstance(inner, dict) else inner[name]
            inner[path[-1]] = value
            self.assertFalse(check.is_valid(config), path)


main()
