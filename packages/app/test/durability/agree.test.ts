import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { callsTool, runUntilCrash, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "../cli/harness.ts";
import { PROGRAM } from "./killed-gateway.ts";

// Lines of the journal in this turn: 1 opened, 2 received, 3 started, 4 requested, 5 responded, 6 judged, 7 tool started,
// 8 tool finished, 9 requested, 10 responded, 11 ended and reply queued, 12 delivered.
for (const [when, commit] of [
  ["when the turn has ended", 11],
  ["when the reply is delivered", 12],
] as const)
  test(`R45 killed ${when}: transcript, journal and audit log agree once the session is opened again`, async () => {
    const model = await startMockModel();
    onTestFinished(() => model.close());
    const app = margay();
    app.configure(modelConfig(model.url));
    const workspace = join(app.home, "workspace");
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, "notes.txt"), "deadline: friday");
    model.replies(callsTool("read_file", { path: "notes.txt" }), says("Friday."), says("Good night."));

    const killed = await runUntilCrash({
      args: [PROGRAM, "agent", "-m", "read notes.txt"],
      env: { MARGAY_HOME: app.home, HOME: app.directory, NO_COLOR: "1" },
      at: { commit, when: "after" },
    });
    expect(killed.signal).toBe("SIGKILL");
    // The journal is ahead of the log: no finding as long as nobody started since.
    expect((await app.run(["audit", "verify"])).code).toBe(0);
    expect((await app.run(["agent", "-m", "good night"])).code).toBe(0);

    const sessions = join(app.home, "sessions");
    const [transcript = ""] = readdirSync(sessions).filter((name) => name.endsWith(".jsonl"));
    const written = readFileSync(join(sessions, transcript), "utf8");
    // The export is made of the journal alone.
    expect(written).toBe((await app.run(["sessions", "export", "cli:direct"])).out);
    const rows = written
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => JSON.parse(line) as JsonObject);
    expect(rows.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user", "assistant"]);

    expect((await app.run(["audit", "verify"])).code).toBe(0);
    const audit = (await app.run(["audit", "list", "--json"])).lines.toReversed();
    expect(audit.filter(({ kind }) => kind === "call")).toMatchObject([{ tool: "read_file", status: "ok" }]);
    expect(audit.filter(({ kind }) => kind === "turn")).toMatchObject([{ reason: "done" }, { reason: "done" }]);
  });
