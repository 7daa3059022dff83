// A margay chat for the tests: the real agent, chat and practice mode over a directory; only the tools are small.
// argv: directory, language, model ("practice" or "scripted"). Started in a real terminal by chat.test.ts.
import { existsSync, mkdirSync, readdirSync, readFileSync, watch } from "node:fs";
import { createAgent, type ModelEvent, type Provider, type Schema, type Tool } from "@margay/core";
import { createTerminalChannel } from "../../src/features/channels/terminal.ts";
import { practiceProvider } from "../../src/features/practice/provider.ts";
import { runChat } from "../../src/host/tui/chat.ts";

const [directory = "", language = "en", model = "practice", sessionKey = "cli:direct"] = process.argv.slice(2);
const workspace = `${directory}/workspace`;
mkdirSync(workspace, { recursive: true });

type Input = Readonly<Record<string, string>>;
const schema: Schema<Input> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => ({ value: value as Input }),
    jsonSchema: { input: () => ({ type: "object" }) },
  },
};
const tool = (name: string, effect: Tool["effect"], execute: Tool<Input>["execute"]): Tool =>
  ({ name, description: name, input: schema, effect, execute }) as Tool<Input> as Tool;

/** Resolves when the test creates the file: commands last as long as the test wants. */
function appears(file: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const check = (): void => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(directory, check);
    signal.addEventListener("abort", () => {
      watcher.close();
      reject(signal.reason as Error);
    });
    check();
  });
}

const tools: readonly Tool[] = [
  tool("list_dir", "read", () => Promise.resolve(readdirSync(workspace).join("\n"))),
  tool("read_file", "read", ({ path = "" }) => {
    if (!existsSync(`${workspace}/${path}`))
      throw new Error(`Error: ${path} does not exist. Next: look with list_dir.`);
    return Promise.resolve(readFileSync(`${workspace}/${path}`, "utf8"));
  }),
  tool("web_search", "read", async (_input, { progress, signal }) => {
    progress("looking into a page\n");
    await appears(`${directory}/go`, signal);
    return "1. found it";
  }),
  tool("exec", "write", ({ command = "" }) => {
    if (command === "crash")
      setImmediate(() => {
        throw new Error("a bug outside every promise");
      });
    return Promise.resolve(`ran ${command}\nExit code: 0`);
  }),
];

/** Says what the test put into the file `script`: raw bytes of a hostile model included. */
const scripted: Provider = {
  id: "scripted",
  async *stream(_request, signal): AsyncGenerator<ModelEvent> {
    const text = readFileSync(`${directory}/script`, "utf8");
    for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) yield { type: "text.delta", index: 0, text: piece };
    if (text.includes("HOLD")) await appears(`${directory}/go`, signal);
    yield { type: "part", index: 0, part: { type: "thinking", text: "first\nsecond" } };
    yield { type: "part", index: 1, part: { type: "text", text } };
    yield {
      type: "done",
      finish: "stop",
      usage: { input: 4000, output: 120, cacheRead: 3000, cacheWrite: 0, costUsd: 0.0123 },
    };
  },
};

const terminal = createTerminalChannel();
const practice = model === "practice";
const chosen = language === "zh-CN" ? "zh-CN" : "en";
await using agent = createAgent({
  directory: `${directory}/state`,
  workspace,
  provider: practice ? practiceProvider({ language: chosen }) : scripted,
  model: practice ? { provider: "practice", model: "sentences" } : { provider: "scripted", model: "large" },
  tools,
  channels: [terminal],
  settings: { language: chosen },
});
/** A conversation that takes as long to read as the test wants. */
const slow = {
  ...agent,
  sessions: {
    ...agent.sessions,
    open: async (...parameters: Parameters<typeof agent.sessions.open>) => {
      await appears(`${directory}/go`, new AbortController().signal);
      return agent.sessions.open(...parameters);
    },
  },
};
process.exitCode = await runChat(
  {
    agent: process.env["SLOW"] === undefined ? agent : slow,
    terminal,
    practice: () => practice,
    language: chosen,
    workspace,
    sessionKey,
    home: directory,
    env: process.env,
    put: (bytes) => agent.blobs.put(bytes),
  },
  { color: process.env["NO_COLOR"] === undefined },
);
process.stdout.write("ended in order\n");
