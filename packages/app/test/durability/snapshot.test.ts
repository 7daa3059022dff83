// The built program goes on with a long conversation from what it kept of it: what stands before that is not read again.
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "../cli/harness.ts";
import { start } from "./running.ts";

test("SO2 a process answers in a long conversation without reading what it kept; without that it reads all of it", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const made = margay();
  made.configure(modelConfig(model.url));
  const sessions = join(made.home, "sessions");
  const pathOf = (end: string): string => {
    const name = readdirSync(sessions).find((one) => one.endsWith(end));
    if (name === undefined) throw new Error(`there is no ${end}`);
    return join(sessions, name);
  };
  const ask = async (text: string, answer: string): Promise<{ readonly code: unknown; readonly said: string }> => {
    model.replies(says(answer));
    const running = start(made, {}, "agent", "-m", text);
    return { code: await running.ended, said: running.out() + running.err() };
  };
  expect(await ask("first", "one")).toEqual({ code: 0, said: "one\n" });
  lengthen(pathOf(".journal"), 300);
  expect(await ask("second", "two")).toEqual({ code: 0, said: "two\n" });
  // Whoever reads this line stops there.
  const snapshot = readFileSync(pathOf(".snapshot.cache"));
  const journal = pathOf(".journal");
  writeFileSync(journal, readFileSync(journal, "latin1").replace("id 7,", "id 8,"), "latin1");
  expect(await ask("third", "three")).toEqual({ code: 0, said: "three\n" });
  const request = JSON.stringify(model.requests.at(-1)?.body);
  for (const text of ["first", "one", "second", "two", "third"]) expect(request).toContain(text);
  expect(readFileSync(pathOf(".snapshot.cache"))).toEqual(snapshot); // little was written since
  rmSync(pathOf(".snapshot.cache"));
  const { code, said } = await ask("fourth", "four");
  expect(code).not.toBe(0);
  expect(said).toMatch(/journal, line \d+ cannot be read/);
});

/** Commits at its end that say nothing, five kilobytes each. */
function lengthen(path: string, commits: number): void {
  const before = readFileSync(path, "utf8").trimEnd().split("\n").length;
  for (let number = 1; number <= commits; number++) {
    const record = { type: "messages.withdrawn", ids: [`id ${number},${" and so on".repeat(500)}`], by: PERSON };
    const body = JSON.stringify({ seq: before + number, at: 1, records: [record] }).slice(1);
    appendFileSync(path, `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}\n`);
  }
}

const PERSON = { id: "user", kind: "person" };
