"""The bar makes the scenario that it shows, and keeps what it does not show."""

from pages import open_scenario, until


def test_the_bar_makes_the_scenario_it_shows(page):
    page.select_option("#setup-algorithm", "bully")
    assert page.locator("#setup-topology").input_value() == "complete"
    page.fill("#setup-n", "6")
    page.fill("#setup-delay", "uniform:1:3")
    page.fill("#setup-loss", "2.5")
    page.fill("#setup-seed", "11")
    page.click("#run")
    until(page, "habemus.run.algorithm === 'bully' && habemus.run.ids.length === 6")
    page.evaluate("habemus.pause()")
    scenario = page.evaluate("habemus.branch.scenario")
    assert scenario["topology"]["n"] == 6 and scenario["seed"] == 11
    assert scenario["network"] == {"delay": "uniform:1:3", "loss": 0.025}
    page.fill("#setup-n", "0")
    page.click("#run")
    assert page.evaluate("habemus.run.ids.length") == 6
    page.fill("#setup-n", "6")
    page.fill("#setup-delay", "soon")
    page.click("#run")
    until(page, "!document.getElementById('banner').hidden")
    assert "delay" in page.locator("#banner").inner_text()


def test_a_script_says_all_that_the_named_scenarios_do(page):
    lost = page.evaluate(
        """(async () => {
          const {parseScript, writeScript} = await import("/static/faults/script.js");
          const names = (await (await fetch("/api/scenarios")).json()).map((entry) => entry.name);
          const sorted = (list) => JSON.stringify((list ?? []).map((entry) => Object.entries(entry).sort()).sort());
          const lost = [];
          for (const name of names) {
            const scenario = await (await fetch(`/api/scenarios/${name}`)).json();
            const read = parseScript(writeScript(scenario));
            const calls = (scenario.workload ?? []).map((call) => ({call: "election", ...call}));
            const same = sorted(read.faults) === sorted(scenario.faults) && sorted(read.workload) === sorted(calls);
            if (!same) lost.push(name);
          }
          return lost;
        })()"""
    )
    assert lost == []


def test_options_of_the_bar_become_parameters_of_the_scenario(page):
    page.select_option("#setup-algorithm", "raft-election-steady")
    page.click("#options summary")
    page.fill("#option-parameters-low", "200")
    page.uncheck("#option-parameters-prevote")
    page.fill("#option-until", "900")
    page.fill("#option-starters", "1, 2")
    page.click("#run")
    until(page, "habemus.branch.scenario.parameters && !habemus.busy")  # choosing the algorithm has run it already
    scenario = page.evaluate("(habemus.pause(), habemus.branch.scenario)")
    assert scenario["parameters"] == {"low": 200, "prevote": False}
    assert scenario["until"] == 900 and scenario["starters"] == [1, 2]
    page.click("#options summary")
    assert page.locator("#option-parameters-low").input_value() == "200"
    page.fill("#option-parameters-low", "")
    page.click("#run")
    until(page, "habemus.branch.scenario.parameters.low === undefined")


def test_what_a_scenario_says_beyond_the_bar_stays_unless_the_network_changes(page):
    faults = [{"do": "crash", "at": 30, "process": 5}]
    open_scenario(page, {"algorithm": "bully", "topology": {"ids": [1, 2, 3, 4, 5]}, "faults": faults})
    page.fill("#setup-seed", "3")
    page.click("#run")
    until(page, "habemus.branch.scenario.seed === 3")
    assert page.evaluate("habemus.branch.scenario.faults") == faults
    page.fill("#setup-n", "7")
    page.click("#run")
    until(page, "habemus.run.ids.length === 7")
    assert page.evaluate("habemus.branch.scenario.faults ?? null") is None
