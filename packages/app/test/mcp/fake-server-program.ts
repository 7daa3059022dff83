// A small MCP server on standard input and output, written by hand: it misbehaves on demand.
// argv: a JSON file with its behavior, read anew when it matters.
import { appendFileSync, existsSync, readFileSync, watch } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { FakeBehavior } from "./support.ts";

const [file = ""] = process.argv.slice(2);
const behavior = (): FakeBehavior => JSON.parse(readFileSync(file, "utf8")) as FakeBehavior;
const { protocolLog, broken = false, stubborn = false } = behavior();
if (broken) process.exit(1);
if (stubborn) process.on("SIGTERM", () => {});
const note = (line: string): void => {
  try {
    appendFileSync(protocolLog, `${line}\n`);
  } catch {
    // Confined, and nobody listed its folder as writable: it works without its log.
  }
};
const send = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
};
note(`start ${process.pid}`);

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly protocolVersion?: string;
    readonly requestId?: number;
    readonly cursor?: string;
    readonly _meta?: { readonly progressToken?: string | number };
  };
  readonly error?: { readonly message: string };
}

const asked = new Map<string, (message: Message) => void>();

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  if (message.method === undefined) asked.get(String(message.id))?.(message);
  else void answer(message);
}
note("input ended");
if (stubborn) setInterval(() => {}, 60_000);

async function answer({ id, method, params }: Message): Promise<void> {
  note(`${method ?? ""}${method === "tools/call" ? ` ${params?.name ?? ""}` : ""}`);
  const { wait, noise = false, more = false, instructions } = behavior();
  switch (method ?? "") {
    case "initialize":
      if (noise) process.stdout.write("Server listening…\n{ not json\n[1]\n");
      if (wait !== undefined) await appears(wait);
      return send({
        id,
        result: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: { listChanged: true }, ...(more && { resources: {}, prompts: {} }) },
          serverInfo: { name: "fake", version: "1" },
          ...(instructions !== undefined && { instructions }),
        },
      });
    case "tools/list":
      return send({ id, result: page(Number(params?.cursor ?? 0)) });
    case "tools/call":
      return call(id, params ?? {});
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: `no ${method}` } });
  }
}

/** All tools, or one on a page. */
function page(at: number): object {
  const { tools, paged = false } = behavior();
  if (!paged) return { tools };
  return { tools: tools.slice(at, at + 1), ...(at + 1 < tools.length && { nextCursor: String(at + 1) }) };
}

async function call(id: Message["id"], params: NonNullable<Message["params"]>): Promise<void> {
  const text = (value: string): void => send({ id, result: { content: [{ type: "text", text: value }] } });
  const { answers = {}, faults = {} } = behavior();
  const answer = answers[params.name ?? ""];
  if (answer !== undefined) return text(answer);
  const fault = faults[params.name ?? ""];
  if (fault !== undefined) return send({ id, error: { code: -32000, message: fault } });
  switch (params.name ?? "") {
    case "die":
      return process.exit(3);
    case "die_once":
      if (readFileSync(protocolLog, "utf8").split("tools/call die_once").length === 2) return process.exit(3);
      return text("alive");
    case "leave":
      text("bye");
      return process.exit(0);
    // The first two calls are never answered.
    case "slow_twice":
      if (readFileSync(protocolLog, "utf8").split("tools/call slow_twice").length <= 3) return undefined;
      return text("at last");
    case "environment":
      return text(JSON.stringify(Object.keys(process.env).toSorted()));
    case "sample": {
      const refused = new Promise<Message>((resolve) => asked.set("s1", resolve));
      send({ id: "s1", method: "sampling/createMessage", params: { messages: [], maxTokens: 10 } });
      const elicited = new Promise<Message>((resolve) => asked.set("e1", resolve));
      send({
        id: "e1",
        method: "elicitation/create",
        params: { message: "password?", requestedSchema: { type: "object", properties: {} } },
      });
      return text(`${(await refused).error?.message} | ${(await elicited).error?.message}`);
    }
    case "progress":
      send({
        method: "notifications/progress",
        params: { progressToken: params._meta?.progressToken, progress: 1, total: 2, message: "half" },
      });
      // Its answer says that the client has seen the progress.
      await new Promise((resolve) => {
        asked.set("p1", resolve);
        send({ id: "p1", method: "ping" });
      });
      return text("done");
    case "slow":
      return undefined; // until it is cancelled, for ever
    case "changed":
      send({ method: "notifications/tools/list_changed" });
      return text("told");
    default:
      return text(JSON.stringify(params.arguments ?? {}));
  }
}

function appears(path: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(dirname(path), () => check());
    const check = (): void => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    };
    check();
  });
}
