#!/usr/bin/env python3
"""test_notebooks.py CARDIAC GROWING SOURCE: the notebooks hold no results, and run from their first cell to the last, with a figure or a
table from each that should show one."""
import glob
import shutil

from support import Case, main, needs, os, source


@needs("nbclient", "ipykernel", "matplotlib", "pandas")
class Notebooks(Case):
    def test_notebooks(self):
        import nbclient
        import nbformat
        for folder in ("configs", "meshes"):
            shutil.copytree(os.path.join(source, folder), folder)
        os.environ["PYTHONPATH"] = os.path.join(source, "app", "python")
        found = sorted(glob.glob(os.path.join(source, "docs", "user", "notebooks", "*.ipynb")))
        self.assertEqual(len(found), 2)
        for path in found:
            book = nbformat.read(path, 4)
            nbformat.validate(book)
            code = [cell for cell in book.cells if cell.cell_type == "code"]
            self.assertFalse([cell for cell in code if cell.outputs or cell.execution_count], path)
            nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": os.getcwd()}}).execute()
            for cell in code:
                kinds = [kind for output in cell.outputs for kind in output.get("data", ())]
                self.assertTrue(kinds, "%s: nothing shown by: %s" % (path, cell.source))
                self.assertTrue("image/png" in kinds or not cell.source.startswith("plot."), "%s: no figure by: %s" % (path, cell.source))


main()
