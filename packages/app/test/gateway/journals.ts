// Finished conversations on disk, as an earlier process left them: many of them, or very long ones.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";

export interface StoredSession {
  readonly key: string;
  readonly turns: number;
  /** What each turn says; default: one line. */
  readonly question?: (turn: number) => string;
  readonly answer?: (turn: number) => string;
  /** Tokens the model reported for a turn; default: little. */
  readonly tokens?: number;
  /** The last turn was cut off: nothing of it but the message. */
  readonly unfinished?: true;
  /** The last turn was stopped before it put its message to the model, and the message taken back. */
  readonly stopped?: true;
}

const START = Date.UTC(2026, 9, 1);
const TURN_MS = 60_000;

/** @returns the session's id. */
export function writeSession(home: string, session: StoredSession): string {
  const directory = join(home, "sessions");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const id = idOf(session.key);
  const lines = [...commitsOf(session)].map(({ records, at }, index) => {
    const body = JSON.stringify({ seq: index + 1, at, records }).slice(1);
    return `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}\n`;
  });
  writeFileSync(join(directory, `${id}.journal`), lines.join(""), { mode: 0o600 });
  return id;
}

function idOf(key: string): string {
  const slug = key.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return `${slug}-${createHash("sha256").update(key).digest("hex").slice(0, 8)}`;
}

interface StoredCommit {
  readonly at: number;
  readonly records: readonly object[];
}

function* commitsOf(session: StoredSession): Generator<StoredCommit> {
  const { key, turns, tokens = 40, unfinished, stopped } = session;
  const { question = (turn) => `Question ${turn} of ${key}`, answer = (turn) => `Answer ${turn}.` } = session;
  const [channel = "", chat = ""] = key.split(":");
  const origin = { channel, chat };
  const model = { provider: "mock", model: "mock-model" };
  const usage = { input: tokens, output: 5, cacheRead: 0, cacheWrite: 0 };
  yield { at: START, records: [{ type: "session.opened", version: 1, key, origin }] };
  for (let turn = 1; turn <= turns; turn++) {
    const at = START + turn * TURN_MS;
    const message = {
      role: "user",
      id: `m-${turn}`,
      at,
      from: { id: "user", kind: "person" },
      parts: [{ type: "text", text: question(turn) }],
    };
    yield { at, records: [{ type: "message.received", key: `k-${turn}`, origin, attended: true, message }] };
    if (unfinished === true && turn === turns) return;
    const id = `turn-${turn}`;
    const opened = { type: "turn.started", turn: id, replyTo: origin, attended: true, message: message.id };
    yield { at, records: turn === 1 ? [frozen(model), opened] : [opened] };
    if (stopped === true && turn === turns) {
      const ended = { type: "turn.ended", turn: id, reason: "cancelled", text: "", durationMs: 0, usage };
      return yield { at, records: [{ type: "messages.withdrawn", ids: [message.id], by: message.from }, ended] };
    }
    const requested = {
      type: "model.requested",
      turn: id,
      attempt: 1,
      model,
      placed: [message.id],
      promptHash: "0",
      estimated: 40,
      tools: true,
    };
    yield { at, records: [requested] };
    const text = answer(turn);
    const said = { role: "assistant", at, model, parts: [{ type: "text", text }], finish: "stop", usage };
    yield { at, records: [{ type: "model.responded", turn: id, message: said }] };
    const reply = `${id}:reply`;
    yield {
      at: at + 1000,
      records: [
        { type: "turn.ended", turn: id, reason: "done", text, durationMs: 1000, usage },
        { type: "reply.queued", reply, to: origin, kind: "reply", parts: [{ type: "text", text }] },
      ],
    };
    yield { at: at + 1000, records: [{ type: "reply.delivered", reply }] };
  }
}

/** As large as a real one. */
function frozen(model: object): object {
  const tools = Array.from({ length: 12 }, (_, index) => ({
    name: `tool_${index}`,
    description: "What it does, when not to use it, and what comes back. ".repeat(6),
    parameters: { type: "object", properties: { path: { type: "string", description: "A path." } } },
  }));
  const prefix = { hash: "0".repeat(64), system: "You are margay, a personal AI agent. ".repeat(100), tools };
  return { type: "prefix.frozen", prefix, because: "opened", model };
}
