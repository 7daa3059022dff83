import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { fakeClock } from "../../src/testing.ts";
import { temporaryFolder } from "../support/folder.ts";

const PROGRAM = fileURLToPath(new URL("./fixtures/forks.ts", import.meta.url));
const KILLS = 15;

test(`DF11 R422 killed ${KILLS} times in the midst of a fork: each copy is whole, and has nothing left to do`, async () => {
  await using folder = await temporaryFolder();
  for (let kills = 0; kills < KILLS; kills++) {
    const child = spawn(process.execPath, [PROGRAM, folder.path], { stdio: ["ignore", "pipe", "inherit"] });
    const gone = once(child, "exit");
    // It says so after each copy: the next one has begun when that is heard, and is at another place each time.
    let copies = 0;
    for await (const part of child.stdout) if ((copies += String(part).split("\n").length - 1) > kills % 4) break;
    child.kill("SIGKILL");
    await gone;
  }
  const journals = openJournalDirectory(folder.path);
  await using store = openSessions({ journals, clock: fakeClock() });
  const list = await store.list();
  expect(list.length).toBeGreaterThan(KILLS);
  for (const { key, settled, fault } of list) {
    expect([key.replace(/\d+$/, "n"), settled, fault]).toEqual([
      key === "cli:direct" ? "cli:direct" : "cli:copy-n",
      true,
      undefined,
    ]);
    const { state } = (await store.find(key))!;
    expect([state.turn, state.pending, state.seq % 8]).toEqual([undefined, [], 1]);
  }
  expect(readdirSync(folder.path).filter((name) => name.endsWith(".journal"))).toHaveLength(list.length);
});
