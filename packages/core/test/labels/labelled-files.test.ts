// A call says how many files became a stranger's by it: each counts once, where it began to be one.
import { expect, test } from "vitest";
import { labelBench, PAGE, STRANGE } from "./bench.ts";

test("SC16 what a file tool writes after a stranger's text was read counts once", async () => {
  const bench = labelBench();
  const write = (path: string, label?: typeof STRANGE) =>
    bench.call("write_file", { path, content: `${path}\n${PAGE}` }, label).then(({ labelled }) => labelled);
  expect([await write("own.md"), await write("p.md", STRANGE), await write("p.md", STRANGE)]).toEqual([0, 1, 0]);
  const edit = { path: "own.md", old_text: "own.md", new_text: "changed" };
  expect(await bench.call("edit_file", edit, STRANGE)).toMatchObject({ labelled: 1 });
  expect(await write("p.md")).toBe(0); // the operator's from now on
  expect(await write("p.md", STRANGE)).toBe(1);
});

test("SC16 SC3 what a command made or changed counts once, beside what made it a stranger's", async () => {
  const bench = labelBench();
  const made = await bench.exec("mkdir d; echo one > d/a; echo two > d/b; echo three > c", STRANGE);
  expect(made).toMatchObject({ labelled: 3, causes: ["given after a stranger's text was read"] });
  expect(await bench.exec("echo more >> c", STRANGE)).toMatchObject({ labelled: 0 });
  expect(await bench.exec("echo mine > own")).toMatchObject({ labelled: 0, untrusted: false });
  expect(await bench.exec("cat c > copy; cat own > mine")).toMatchObject({ labelled: 2, causes: ["read c"] });
  bench.restart();
  expect(await bench.exec("cat c > copy")).toMatchObject({ labelled: 0, untrusted: true });
});

test("SC16 of what two commands of one turn did together one tells", async () => {
  const bench = labelBench();
  await bench.exec("echo strange > p", STRANGE);
  // The second starts while the first runs, and ends before it.
  const [first, second] = await bench.together(
    "until [ -e begun ]; do sleep 0.02; done; cat p > a; until [ -e done ]; do sleep 0.02; done",
    "touch begun; until [ -e a ]; do sleep 0.02; done; cat p > b",
    () => bench.person("touch done"),
  );
  const made = ["a", "b", "begun", "done"]; // who did what while they ran is not told apart
  expect(bench.labels.paths().toSorted()).toEqual([...made, "p"]);
  expect(bench.labels.names()).toEqual([]); // what stood in the way of the first one is no text
  expect(first.labelled + second.labelled).toBe(made.length);
});
