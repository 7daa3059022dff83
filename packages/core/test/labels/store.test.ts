// SC11: the store of labels: lines of the first version, many lines, and what is left after it was written anew.
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { type FileLabels, openFileLabels } from "../../src/labels/file-labels.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { PAGE, STRANGE } from "./bench.ts";

const TRUSTED = { ...STRANGE, integrity: "trusted" } as const;

function createState(): { readonly directory: string; readonly file: string } {
  const directory = fs.mkdtempSync(join(tmpdir(), "margay-labels-"));
  onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }));
  return { directory, file: join(directory, "file-labels.jsonl") };
}

test("SC11 lines of the first version are read: a path with its content, and one that is trusted again", () => {
  const { directory, file } = createState();
  const lines = [
    { path: "p.md", sha256: sha256(PAGE) },
    { path: "q.md", sha256: sha256("another text of a stranger") },
    { path: "q.md" },
  ];
  fs.writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const labels = openFileLabels(directory);
  expect(labels.paths()).toEqual(["p.md"]);
  expect(labels.hashedAt(sha256(PAGE))).toBeDefined();
  expect(labels.hashedAt(sha256("another text of a stranger"))).toBeDefined();
  expect(labels.labelOf("p.md")?.cause).toBe(undefined);
});

test("SC11 100,000 lines are read within a second", () => {
  const { directory, file } = createState();
  const line = (at: number): string => {
    const hash = at.toString(16).padStart(64, "0");
    return JSON.stringify({
      path: `d${at % 100}/f${at}`,
      sha256: hash,
      blobs: [hash.slice(24), hash],
      id: `1:${at}:2`,
      cause: "read p.md",
      at,
    });
  };
  fs.writeFileSync(file, `${Array.from({ length: 100_000 }, (_, at) => line(at)).join("\n")}\n`);
  // A second where the bare lines are parsed in a fifth of one: how fast the machine is at the moment says nothing about us.
  const best = (work: () => void): number =>
    Math.min(
      ...Array.from({ length: 3 }, () => {
        const before = process.cpuUsage();
        work();
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1000;
      }),
    );
  const parsing = best(() => {
    for (const text of fs.readFileSync(file, "utf8").trim().split("\n")) JSON.parse(text);
  });
  const reading = best(() => expect(openFileLabels(directory).byPath("d7/f7")).toBe(true));
  console.log(`${Math.round(reading)} ms of processor, of which the lines alone take ${Math.round(parsing)}`);
  expect(reading).toBeLessThan(Math.max(1000, 5 * parsing));
  const labels = openFileLabels(directory);
  expect(labels.paths()).toHaveLength(100_000);
});

type Act =
  | {
      readonly act: "add" | "whole" | "part" | "own" | "drop" | "endorse" | "folder";
      readonly path: string;
      readonly text: string;
    }
  | { readonly act: "tree" | "names" | "mixed"; readonly path: string };

const path = fc.constantFrom("a", "b", "c/d", "c/e", "f");
const text = fc.constantFrom(
  "a text of a stranger, the first",
  "a text of a stranger, the second",
  "short",
  "a third text, of nobody",
);
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constantFrom("add", "whole", "part", "own", "drop", "endorse", "folder"),
      path,
      text,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constantFrom("tree", "names", "mixed"), path: fc.constantFrom("c", "t") }),
  },
);

function perform(labels: FileLabels, one: Act): unknown {
  switch (one.act) {
    case "tree":
      return labels.addTree(one.path, "read a");
    case "names":
      return labels.addNames(one.path);
    case "mixed":
      return labels.addMixed(`${one.path}/.git`);
    case "add":
      return labels.add(one.path, "read a", { data: Buffer.from(one.text) });
    case "whole":
      return labels.writing(one.path, Buffer.from(one.text), STRANGE, "whole");
    case "own":
      return labels.writing(one.path, Buffer.from(one.text), TRUSTED, "whole");
    case "part":
      return labels.writing(one.path, Buffer.from(one.text), TRUSTED, "part");
    case "drop":
      return labels.drop([one.path]);
    case "endorse":
      return labels.endorse(one.path, Buffer.from(one.text));
    case "folder":
      return labels.endorse("c");
  }
}

/** All that anybody can ask. */
function answers(labels: FileLabels): unknown {
  const paths = ["a", "b", "c/d", "c/e", "c", "f", "t", "t/x"];
  const texts = [
    "a text of a stranger, the first",
    "a text of a stranger, the second",
    "short",
    "a third text, of nobody",
  ];
  return {
    empty: labels.empty,
    paths: paths.map((one) => [labels.byPath(one), labels.byNames(one), labels.labelOf(one)?.cause]),
    contents: texts.map((one) => labels.hashedAt(sha256(one)) !== undefined),
    blobs: texts.map((one) => labels.byBlob(blobOf(one))),
    ids: paths.map((one) => labels.byId(`1:${one}`)),
    all: [labels.paths().toSorted(), labels.trees().toSorted(), labels.mixed().toSorted(), labels.names().toSorted()],
  };
}

function blobOf(one: string): string {
  return sha256(`blob ${one.length}\0${one}`);
}

/** So many that the file is written anew. */
const NOISE = 2_400;

test("SC11 when the file is written anew nothing of what is known is lost", () => {
  const property = fc.property(fc.array(act, { minLength: 1, maxLength: 12 }), (acts) => {
    const { directory, file } = createState();
    const labels = openFileLabels(directory);
    for (const one of acts) perform(labels, one);
    const before = answers(labels);
    // What is read again says the same as what stands in memory.
    expect(answers(openFileLabels(directory))).toEqual(before);
    fs.appendFileSync(file, '{"gone":["nothing"]}\n'.repeat(NOISE));
    const again = openFileLabels(directory);
    again.add("noise", "read a");
    again.drop(["noise"]);
    expect(fs.readFileSync(file, "utf8").split("\n").length).toBeLessThan(NOISE);
    expect(answers(again)).toEqual(before);
    expect(answers(openFileLabels(directory))).toEqual(before);
    fs.rmSync(directory, { recursive: true });
  });
  const details = fc.check(property, { numRuns: 200 });
  console.log(`seed ${details.seed}`);
  expect(details.failed ? `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}` : "").toBe("");
});
