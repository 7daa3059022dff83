// The whole program in a real terminal, the model on a real socket.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startMockModel, type MockModel } from "@margay/core/testing";
import { onTestFinished } from "vitest";
import { placesOf, type Places } from "../../src/config/paths.ts";
import { startInTerminal, type TerminalChat } from "./support.ts";

const BIN = join(dirname(fileURLToPath(import.meta.url)), "../../bin/margay.js");

export interface Program {
  readonly model: MockModel;
  readonly places: Places;
  readonly workspace: string;
  /** Starts it: what it finds was put there before. */
  start(...args: readonly string[]): TerminalChat;
  /** As a command line. */
  readonly command: readonly string[];
}

export async function program(): Promise<Program> {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-tui-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const home = join(directory, "home");
  const workspace = join(directory, "workspace");
  const places = placesOf({ flag: home, env: {}, userHome: directory, currentDirectory: directory });
  mkdirSync(places.home);
  mkdirSync(workspace);
  const mock = { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "test-key-for-mock" };
  writeFileSync(places.config, JSON.stringify({ model: "mock/first", providers: { mock }, workspace }), {
    mode: 0o600,
  });
  const command = ["env", `HOME=${directory}`, process.execPath, BIN, "--home", home];
  const start: Program["start"] = (...args) => startInTerminal({ directory }, () => [...command, ...args]);
  return { model, places, workspace, command, start };
}
