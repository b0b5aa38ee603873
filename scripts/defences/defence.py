"""What a row of the tables says."""

import dataclasses


@dataclasses.dataclass
class Defence:
    """A check of the server that can be taken out."""

    # In the code that looks whether it is out, and on the page.
    name: str
    # Below Sources/CloudServer/, or below Sources/.
    file: str
    # Stands in the file exactly once.
    text: str
    # What takes its place: Swift in which OUT is true where the defence is out. Without it, `text` is a condition that holds then.
    instead: str
    # What it bounds or keeps out, and what is answered.
    bound: str
    answer: str
    # Tests of the server that look at it, as a filter of swift-testing, and the floods that try it, with | between.
    tests: str
    flood: str = ""

    @property
    def path(self):
        return f"Sources/{self.file}" if self.file.startswith(("CloudAPI/", "TodoServer/")) else f"Sources/CloudServer/{self.file}"

    @property
    def floods(self):
        return self.flood.split("|") if self.flood else []

    @property
    def code(self):
        switch = f"Missing.{self.name}"
        return (self.instead or f"({self.text} || OUT)").replace("OUT", switch)
