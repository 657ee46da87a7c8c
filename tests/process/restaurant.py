"""Two layers that say things to each other, for tests."""

from dataclasses import dataclass

from habemus.process import Message, Process, upon_command, upon_indication, upon_request


@dataclass(frozen=True)
class Order(Message):
    dish: str = "soup"
    count: int = 1


@dataclass(frozen=True)
class Cook(Message):
    dish: str


@dataclass(frozen=True)
class Served(Message):
    dish: str
    number: int


@dataclass(frozen=True)
class Complaint(Message):
    text: str


class Kitchen(Process):
    name = "kitchen"
    cooked: int = 0

    @upon_request(Cook)
    def cook(self, request: Cook) -> None:
        self.cooked += 1
        self.indicate(Served(request.dish, self.cooked))


class Waiter(Process):
    name = "waiter"
    topology = "complete"
    plates: list[tuple[str, int]] = []
    heard: str = ""

    @upon_command("order", Order)
    def take_order(self, order: Order) -> None:
        for _ in range(order.count):
            self.pass_down(Cook(order.dish))

    @upon_command("complain", Complaint)
    def listen(self, complaint: Complaint) -> None:
        self.heard = complaint.text

    @upon_indication(Served)
    def carry(self, served: Served) -> None:
        self.plates = [*self.plates, (served.dish, served.number)]
