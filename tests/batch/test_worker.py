import re

import nbformat

FOLDED = """# A

<details><summary>Solution</summary>

Call `one`:

```python
one()
```

</details>

After it."""


def test_a_folded_solution_holds_its_text_and_code(desk):
    path = desk.notebook("01_a", "size")
    book = nbformat.read(path, as_version=4)
    book.cells[0].source = FOLDED
    nbformat.write(book, path)
    assert desk.statuses() == ["rebuilt"]
    page = (desk.layout.target("simulated") / "notebooks" / "01_a.html").read_text(encoding="utf-8")
    (folded,) = re.findall(r"<details>.*?</details>", page, re.DOTALL)
    assert "<code>one</code>" in folded
    assert '<div class="highlight">' in folded
    assert "After it." not in folded
