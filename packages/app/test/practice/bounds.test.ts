// How long a message practice mode looks at, and how much of an answer it shows: each bound at n, and at one more.
import { expect, test } from "vitest";
import { understand } from "../../src/features/practice/sentences.ts";
import { ask, assistant, converse, request, result, user } from "./support.ts";

const several = <T>(count: number, one: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => one(n));
const reads = (from: number, to: number): string => several(to - from, (n) => `read a${from + n}.txt`).join(", ");

test("sentences/MAX_CHARS: a message of 4,000 characters is read, one more is not", () => {
  const kind = (chars: number): string | undefined => understand(`remember ${"a".repeat(chars - 9)}`)[0]?.kind;
  expect([kind(4000), kind(4001)]).toEqual(["call", "unknown"]);
});

test("sentences/MAX_JOINTS: a request with three joints in it is found before a fourth, with four it is not", () => {
  const kinds = (joints: number): readonly string[] =>
    understand(`read "a${", b".repeat(joints)}.txt", read c.txt`).map((found) => found.kind);
  expect(kinds(3)).toEqual(["call", "call"]);
  expect(kinds(4)).toEqual(["unknown"]);
});

test("sentences/MAX_REQUESTS: eight requests of a message are begun, of nine the first eight", async () => {
  const asked = async (files: number): Promise<readonly [number, boolean]> => {
    const { rounds, text } = await converse(reads(0, files));
    return [rounds.flat().length, text.includes("I did not understand “read a8.txt”")];
  };
  expect([await asked(8), await asked(9)]).toEqual([
    [8, false],
    [8, true],
  ]);
});

test("decide/MAX_CALLS: after 23 calls another is made, after 24 none", async () => {
  const after = async (calls: number): Promise<readonly [number, string]> => {
    const asked = [0, 8, 16].map((from) => user(reads(from, Math.min(from + 8, calls))));
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

test("decide/MAX_EXTRACT_CHARS: 360 characters of a text are said, one more is cut", async () => {
  const about = async (text: string): Promise<string> =>
    (await converse("tell me what a.txt is about", () => text)).text.split("\n")[0] ?? "";
  expect(await about("a".repeat(360))).toBe(`**a.txt** begins: ${"a".repeat(360)}`);
  expect(await about("a".repeat(361))).toBe(`**a.txt** begins: ${"a".repeat(359)}…`);
  expect(await about("😀".repeat(181))).toBe(`**a.txt** begins: ${"😀".repeat(179)}…`); // no character is split
});

test("decide/MAX_QUOTED_CHARS: 80 characters of what was not understood are repeated", async () => {
  const repeated = async (chars: number): Promise<string | undefined> =>
    /“(.+)”/.exec((await ask(request([user("u".repeat(chars))]))).text)?.[1];
  expect(await repeated(80)).toBe("u".repeat(80));
  expect(await repeated(81)).toBe(`${"u".repeat(79)}…`);
});

test("decide/MAX_LINES, decide/MAX_SHOWN_CHARS: 40 lines and 3,000 characters of a result are shown, not one more", async () => {
  const shown = async (text: string): Promise<string> => (await converse("read a.txt", () => text)).text;
  const lines = (count: number): string => several(count, (n) => `line${n}`).join("\n");
  const CUT = "This is the beginning";
  expect(await shown(lines(40))).toContain("\nline39\n```");
  expect(await shown(lines(40))).not.toContain(CUT);
  expect(await shown(lines(41))).toContain(`\nline39\n\`\`\`\n\n${CUT}`);
  expect(await shown("c".repeat(3000))).not.toContain(CUT);
  expect(await shown("c".repeat(3001))).toContain(`\n${"c".repeat(2999)}…\n\`\`\`\n\n${CUT}`);
});

test("decide/MAX_LOGGED_CHARS: the last 600 characters of a conversation go into the log", async () => {
  const kept = async (chars: number): Promise<string | undefined> => {
    const { calls } = await ask(request([user("h".repeat(chars))], ["save_memory"]));
    const { history } = (calls[0]?.input ?? {}) as { readonly history?: string };
    return history?.split(") ")[1];
  };
  expect(await kept(600)).toBe("h".repeat(600));
  expect(await kept(601)).toBe(`…${"h".repeat(600)}`);
});
