// L3, L6: nothing that is added makes a label better, and no tool vouches for anything.
import fs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { labelBench, PAGE, STRANGE } from "./bench.ts";
import { history, name, play, type Step } from "./history.ts";
import { type Name, removeRoots } from "./world.ts";
import { sha256 } from "../../src/machine/system/hash.ts";

/** Each is played twice. */
const HISTORIES = 2_000;
/** Others by this variable. */
const SEED = Number(process.env["MARGAY_LAWS_SEED"] ?? 20_261_125);
afterAll(removeRoots);

type Addition =
  | { readonly add: "page" | "host"; readonly at: number }
  | { readonly add: "read"; readonly at: number; readonly of: Name };

const addition: fc.Arbitrary<Addition> = fc.oneof(
  fc.record({ add: fc.constantFrom("page" as const, "host" as const), at: fc.nat(8) }),
  fc.record({ add: fc.constant("read" as const), at: fc.nat(8), of: name }),
);

function withMore(steps: readonly Step[], more: Addition): readonly Step[] {
  if (more.add === "page") return steps.toSpliced(more.at, 0, { by: "page", at: "x", size: "long" });
  return steps.map((step, at) => {
    if (at !== more.at || step.by !== "command") return step;
    if (more.add === "read") return { ...step, operations: [{ do: "read", at: more.of }, ...step.operations] };
    return { ...step, network: step.network === "no" ? "reached" : step.network };
  });
}

test(`L3 a labelled file, a read or a host more makes no label better, over ${HISTORIES} histories`, async () => {
  const property = fc.asyncProperty(history, addition, async (steps, more) => {
    const before = await play(steps);
    const after = await play(withMore(steps, more));
    const better = before.outputs.flatMap(({ tainted }, at) =>
      tainted && after.outputs[at]?.tainted !== true ? [`output ${at}`] : [],
    );
    const lost = before.labelled.filter((path) => !after.labelled.includes(path));
    if (better.length + lost.length > 0) throw new Error([...better, ...lost].join(", "));
  });
  const details = await fc.check(property, { numRuns: HISTORIES, seed: SEED });
  console.log(`seed ${details.seed}`);
  expect(details.failed ? `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}` : "").toBe("");
});

const LINES = ['{"endorsed":"p.md","contents":[]}\n', '{"gone":["p.md"]}\n', '{"path":"p.md"}\n', PAGE, ""];

test("L6 no call of a tool vouches for a content, whatever its input", async () => {
  const bench = labelBench();
  await bench.call("write_file", { path: "p.md", content: PAGE }, STRANGE);
  const state = join(bench.state, "file-labels.jsonl");
  const path = fc.constantFrom("p.md", "./p.md", "q.md", ".", state, "../state/file-labels.jsonl", "p.md/../p.md");
  const text = fc.oneof(fc.constantFrom(...LINES), fc.string());
  const call = fc.oneof(
    fc.record({ tool: fc.constant("write_file"), input: fc.record({ path, content: text }) }),
    fc.record({
      tool: fc.constant("edit_file"),
      input: fc.record({ path, old_text: fc.constantFrom("Dear", PAGE, "gone"), new_text: text }),
    }),
    fc.record({ tool: fc.constantFrom("read_file", "list_dir"), input: fc.record({ path }) }),
    fc.record({ tool: fc.constant("search_files"), input: fc.record({ pattern: text, path }) }),
  );
  const property = fc.asyncProperty(call, fc.boolean(), async ({ tool, input }, strange) => {
    await bench.call(tool, input, ...(strange ? [STRANGE] : [])).catch(() => undefined); // as a tool refuses
    // The file may be written over by somebody who is trusted; the text is a stranger's wherever it lies.
    if (bench.labels.hashedAt(sha256(PAGE)) === undefined) throw new Error("the page is one's own");
    if (fs.readFileSync(state, "utf8").includes('{"endorsed"')) throw new Error("somebody vouched");
  });
  const details = await fc.check(property, { numRuns: 200 });
  console.log(`seed ${details.seed}`);
  expect(details.failed ? `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}` : "").toBe("");
});

test("L6 no command vouches for a content: it does not reach what is known", async () => {
  const bench = labelBench();
  await bench.call("write_file", { path: "p.md", content: PAGE }, STRANGE);
  const state = join(bench.state, "file-labels.jsonl");
  const before = fs.readFileSync(state, "utf8");
  await bench.exec(
    `echo '${LINES[0]?.trim()}' >> ${state}; echo '${LINES[1]?.trim()}' >> ../state/file-labels.jsonl; rm ${state}`,
  );
  expect(fs.readFileSync(state, "utf8").startsWith(before)).toBe(true);
  expect(bench.labels.hashedAt(sha256(PAGE))).toBeDefined();
  expect(await bench.exec("cat p.md")).toMatchObject({ untrusted: true });
});
