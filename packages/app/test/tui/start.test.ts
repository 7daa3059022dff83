// How a chat starts: what an earlier process left is taken up once, and a chat that was stopped before it began ends.
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAgent } from "@margay/core";
import { runUntilCrash } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { createTerminalChannel } from "../../src/features/channels/terminal.ts";
import { practiceProvider } from "../../src/features/practice/provider.ts";
import { runChat } from "../../src/host/tui/chat.ts";
import { margay } from "../cli/harness.ts";
import { HAS_TMUX, startInTerminal } from "./support.ts";

const MAIN = join(dirname(fileURLToPath(import.meta.url)), "../../src/main.ts");

test("a chat whose signal was aborted before it began ends at once and shows nothing", async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-tui-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const terminal = createTerminalChannel();
  await using agent = createAgent({
    directory: join(directory, "state"),
    workspace: join(directory, "workspace"),
    provider: practiceProvider({ language: "en" }),
    model: { provider: "practice", model: "sentences" },
    channels: [terminal],
  });
  const chat = {
    agent,
    terminal,
    practice: () => true,
    language: "en",
    workspace: join(directory, "workspace"),
    sessionKey: "cli:direct",
  } as const;
  expect(await runChat(chat, { signal: AbortSignal.abort() })).toBe(0);
  expect(await agent.sessions.list()).toEqual([]);
});

test("the screen of a chat draws nothing by itself while no turn runs", async () => {
  const program = `
    import { NOTHING } from "../../src/host/tui/conversation.ts";
    import { createScreen } from "../../src/host/tui/screen.ts";
    import { kit } from "./support.ts";
    const app = { workspace: "/w", sessionKey: "cli:direct", practice: () => true, agent: { model: {}, settings: {} } };
    const state = { session: "cli:direct", usage: {}, unfolded: {}, stopping: false };
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const screen = createScreen(app, kit("en"), { submit() {}, key: () => false });
    const counts = [timers()];
    for (const shown of [{ ...NOTHING, turn: { doing: "writing" } }, NOTHING]) {
      screen.show({ ...state, shown });
      counts.push(timers());
    }
    process.stderr.write(counts.join());
    process.exit(0);`;
  const { stderr } = await runUntilCrash({
    command: process.execPath,
    args: ["--conditions=margay-source", "--input-type=module-typescript", "-e", program],
    cwd: dirname(fileURLToPath(import.meta.url)),
  });
  expect(stderr).toBe("0,1,0");
});

test("a command that was interrupted before its chat began says so with its exit code", async () => {
  const ran = await margay().run(["agent"], { signal: AbortSignal.abort(), person: () => Promise.resolve("") });
  expect({ code: ran.code, out: ran.out, err: ran.err }).toEqual({ code: 130, out: "", err: "" });
});

test.skipIf(!HAS_TMUX)("what an earlier process left is looked at once", async () => {
  const app = margay();
  await app.run(["agent", "-m", "hello", "--session", "cli:bad"]);
  const folder = join(app.home, "sessions");
  const path = join(folder, readdirSync(folder).find((name) => name.endsWith(".journal")) ?? "");
  writeFileSync(path, readFileSync(path, "utf8").replace('"at":', '"At":'));
  writeFileSync(join(app.home, "config.json"), '{"model":null}', { mode: 0o600 });
  await using chat = startInTerminal({ directory: app.directory }, () => [
    "env",
    `HOME=${app.directory}`,
    process.execPath,
    "--conditions=margay-source",
    MAIN,
    "--home",
    app.home,
  ]);
  await chat.shows("practice mode");
  chat.type("hello");
  chat.press("Enter");
  await chat.shows("I am margay in practice mode");
  const log = readFileSync(join(app.home, "margay.log"), "utf8");
  expect(log.split("\n").filter((line) => line.includes("session.unreadable"))).toHaveLength(1);
});
