"""`cardiac keys --json`: a JSON Schema that every example fulfils, in short and resolved, and that mistakes do not; docs/user/output.schema.json: that of
what commands print with --json."""
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

    @needs("jsonschema")
    def test_output(self):
        import jsonschema

        with open(os.path.join(source, "docs", "user", "output.schema.json")) as file:
            whole = json.load(file)
        jsonschema.Draft202012Validator.check_schema(whole)
        with open("runs.csv", "w") as file:
            file.write("time.end\n1 ms\n2 ms\n")
        for lines, command in ((1, "check a.yaml"), (1, "run a.yaml --threads 1"), (1, "info out/run.vtkhdf"), (20, "models"), (1, "models tp06-epi"),
                               (2, "cell mitchell-schaeffer --beats 2"), (1, "cell mitchell-schaeffer --s1 1x400ms --s2 350:350:10ms"),
                               (3, "compare out/run.vtkhdf out/run.vtkhdf"), (4, "verify stimulus"),
                               (2, "sweep a.yaml --table runs.csv --output many")):
            check = jsonschema.Draft202012Validator({**whole, "$ref": "#/$defs/" + command.split()[0]})
            printed = [json.loads(line) for line in self.shell(*command.split(), "--json").splitlines()]
            self.assertGreaterEqual(len(printed), lines, command)
            for value in printed:
                self.assertEqual([error.message[:300] for error in check.iter_errors(value)], [], command)
                self.assertFalse(check.is_valid({"unlike": value}), command)


main()
