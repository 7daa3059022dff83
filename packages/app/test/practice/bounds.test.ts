// How long a message practice mode looks at, and how much of an answer it shows: each bound at n, and at one more.
import { expect, test } from "vitest";
import { excerpt } from "../../src/features/practice/excerpt.ts";
import { understand } from "../../src/features/practice/understand.ts";
import { ask, assistant, converse, request, result, user } from "./support.ts";

const several = <T>(count: number, one: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => one(n));

test("understand/MAX_CHARS: a message of 4,000 characters is read, one more is not", () => {
  const status = (chars: number): readonly string[] =>
    understand(`say ${"a".repeat(chars - 4)}`).map((part) => part.status);
  expect([status(4000), status(4001)]).toEqual([["known"], ["unknown"]]);
});

test("understand/MAX_CLAUSES: 24 clauses are read one by one, of one more the message is one", () => {
  const read = (files: number): number => understand(`read ${several(files, (n) => `a${n}.txt`).join(", ")}`).length;
  expect([read(24), read(25)]).toEqual([24, 1]);
});

test("understand/MAX_JOINED: a request that only six clauses together make is found, one of seven is not", () => {
  const kinds = (clauses: number): readonly string[] =>
    understand(`put ${several(clauses, (n) => `part${n}`).join(", ")} in a.txt, then read b.txt`).map((part) =>
      part.status === "known" ? part.intent.kind : "–",
    );
  expect(kinds(6)).toEqual(["write", "read"]);
  expect(kinds(7)).toEqual([...several(7, () => "–"), "read"]);
});

test("understand/MAX_INTENTS: eight requests of a message are begun, of nine the first eight", async () => {
  const asked = async (files: number): Promise<readonly [number, boolean]> => {
    const { rounds, text } = await converse(`read ${several(files, (n) => `a${n}.txt`).join(", ")}`);
    return [rounds.flat().length, text.includes("more than 8 requests")];
  };
  expect([await asked(8), await asked(9)]).toEqual([
    [8, false],
    [8, true],
  ]);
});

test("decide/MAX_CALLS: after 23 calls another is made, after 24 none", async () => {
  const after = async (calls: number): Promise<readonly [number, string]> => {
    const files = (from: number): string => several(Math.min(8, calls - from), (n) => `a${from + n}.txt`).join(", ");
    const asked = [0, 8, 16].map((from) => user(`read ${files(from)}`));
    const made = (await ask(request(asked))).calls;
    expect(made).toHaveLength(calls);
    const done = made.map((call) => result(call.callId, call.name, "text"));
    const { calls: more, text } = await ask(
      request([...asked, assistant(...made), ...done, user("read z.txt")], undefined, "r2"),
    );
    return [more.length, text];
  };
  expect((await after(23))[0]).toBe(1);
  expect(await after(24)).toEqual([0, expect.stringContaining("I did not read `z.txt`")]);
});

test("excerpt/MAX_SENTENCES, excerpt/MAX_CHARS: three sentences, and 360 characters of them", () => {
  const of = (text: string): readonly string[] => excerpt(text).sentences;
  expect(of("One. Two. Three.")).toEqual(["One.", "Two.", "Three."]);
  expect(of("One. Two. Three. Four.")).toEqual(["One.", "Two.", "Three."]);
  expect(of("a".repeat(360))).toEqual(["a".repeat(360)]);
  expect(of("a".repeat(361))).toEqual([`${"a".repeat(360)}…`]);
  expect(of(`One. ${"B".repeat(356)}`)).toHaveLength(2);
  expect(of(`One. ${"B".repeat(357)}`)).toEqual(["One."]);
  expect(of("😀".repeat(360))).toEqual(["😀".repeat(360)]); // nothing is cut, and nothing says so
});

test("answer/MAX_ENTRIES: 40 entries of a folder and 40 memories are shown, one more is counted", async () => {
  const lines = async (text: string, found: number): Promise<readonly string[]> => {
    const answer = await converse(text, () => several(found, (n) => `entry${n}`).join("\n"));
    return answer.text.split("\n").filter((line) => line.startsWith("- "));
  };
  expect((await lines("list the files", 40)).at(-1)).toBe("- `entry39`");
  expect((await lines("list the files", 41)).slice(39)).toEqual(["- `entry39`", "- … and 1 more"]);
  expect((await lines("what do you remember about tea", 40)).at(-1)).toBe("- entry39");
  expect((await lines("what do you remember about tea", 41)).slice(39)).toEqual(["- entry39", "- …"]);
});

test("answer/MAX_LINES, answer/MAX_CHARS: 40 lines and 3,000 characters of a file are shown, not one more", async () => {
  const shown = async (text: string): Promise<string> => (await converse("read a.txt", () => text)).text;
  const lines = (count: number): string => several(count, (n) => `line${n}`).join("\n");
  expect(await shown(lines(40))).toContain("\nline39\n```");
  expect(await shown(lines(41))).toMatch(/\nline39\n…\n```\n\nThese are the first 40 lines/);
  expect(await shown("c".repeat(3000))).toContain(`\n${"c".repeat(3000)}\n\`\`\``);
  expect(await shown("c".repeat(3001))).toContain(`\n${"c".repeat(3000)}\n…\n\`\`\``);
});

test("chores/MAX_HISTORY_CHARS: the last 600 characters of a conversation go into the log", async () => {
  const kept = async (chars: number): Promise<string | undefined> => {
    const { calls } = await ask(request([user("h".repeat(chars))], ["save_memory"]));
    const { history } = (calls[0]?.input ?? {}) as { readonly history?: string };
    return history?.split(") ")[1];
  };
  expect(await kept(600)).toBe("h".repeat(600));
  expect(await kept(601)).toBe(`…${"h".repeat(600)}`);
});
