import { mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import { callsTool, runUntilCrash, says, startMockModel } from "../../src/testing.ts";
import { temporaryFolder } from "../support/folder.ts";

const program = fileURLToPath(new URL("./fixtures/one-turn.ts", import.meta.url));

// Lines of the journal in this turn: 1 opened, 2 received, 3 started, 4 requested, 5 responded,
// 6 judged and tool started, 7 tool finished, 8 requested, 9 responded, 10 ended and reply queued, 11 delivered.
for (const [row, commit, when, paid] of [
  ["R30 R256 nothing was accepted yet", 2, "torn", 1],
  ["R30 the message was accepted", 2, "after", 1],
  ["R76 the write call was started, nobody knows more", 6, "after", 0],
  ["R76 the write call ran but its result was not committed", 7, "before", 1],
  ["CH6 the reply was queued and not delivered", 10, "after", 1],
] as const)
  test(`${row}: a process killed there continues, answers once and pays at most once`, async () => {
    await using folder = await temporaryFolder();
    await using model = await startMockModel();
    // The answer follows from the request: a call, and after its result, whatever it says, a text.
    model.route(
      () => true,
      ...Array.from(
        { length: 10 },
        () => (request: { toolResults: readonly unknown[] }) =>
          request.toolResults.length === 0 ? callsTool("pay") : says("The bill is paid."),
      ),
    );
    await mkdir(folder.at("workspace"));
    const args = [program, folder.at("home"), folder.at("workspace"), model.url, folder.at("ledger")];
    expect(await runUntilCrash({ args, at: { commit, when } })).toMatchObject({ signal: "SIGKILL" });
    const second = await runUntilCrash({ args });
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(second.stdout.split("\n").toSorted()).toEqual([
      "",
      commit === 2 && when === "torn" ? "accepted" : "duplicate",
      "reply: The bill is paid.",
    ]);
    const ledger = await readFile(folder.at("ledger"), "utf8").catch(() => "");
    expect(ledger).toBe("paid\n".repeat(paid));
  });

// Until 5 as above; 6: judged, with the question; 7: the yes. 8 would be the intent to run the tool.
for (const [what, commit, when] of [
  ["the yes was recorded and the call not started", 7, "after"],
  ["the yes was half written", 7, "torn"],
] as const)
  test(`R78 SE1 ${what}: a process killed there runs the call once after the restart`, async () => {
    await using folder = await temporaryFolder();
    await using model = await startMockModel();
    model.route(
      () => true,
      ...Array.from(
        { length: 10 },
        () => (request: { toolResults: readonly unknown[] }) =>
          request.toolResults.length === 0 ? callsTool("pay") : says("The bill is paid."),
      ),
    );
    await mkdir(folder.at("workspace"));
    const args = [program, folder.at("home"), folder.at("workspace"), model.url, folder.at("ledger"), "asks"];
    expect(await runUntilCrash({ args, at: { commit, when } })).toMatchObject({ signal: "SIGKILL" });
    expect(await readFile(folder.at("ledger"), "utf8").catch(() => "")).toBe("");
    const second = await runUntilCrash({ args });
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(second.stdout).toContain("reply: The bill is paid.");
    expect(await readFile(folder.at("ledger"), "utf8")).toBe("paid\n");
  });

// Until 5 as above; 6: judged; 7: the question leaves; 8: it was delivered; 9: the yes, with the answer to the command that gave it. The platform
// delivers the same message again at every question.
test("R78 SE1 a typed yes that is delivered again after a crash allows no other call", async () => {
  await using folder = await temporaryFolder();
  await using model = await startMockModel();
  model.route(() => true, ...Array.from({ length: 10 }, () => () => callsTool("pay")));
  await mkdir(folder.at("workspace"));
  const args = [program, folder.at("home"), folder.at("workspace"), model.url, folder.at("ledger"), "types"];
  expect(await runUntilCrash({ args, at: { commit: 9, when: "after" } })).toMatchObject({ signal: "SIGKILL" });
  const second = await runUntilCrash({ args });
  expect(second).toMatchObject({ code: 0, stderr: "" });
  expect(second.stdout).toContain("yes: duplicate");
  expect(await readFile(folder.at("ledger"), "utf8")).toBe("paid\n");
});
