/** Before the message: the model, the earlier messages and the client's instructions enter the session. */
import {
  type Address,
  type JournalRecord,
  type Message,
  type ModelRef,
  type Session,
  type ToolSpec,
} from "@margay/core";
import { type Audience, isUnused, neutral, NO_USAGE } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { OWNER } from "../../host/people.ts";
import { storePieces, type StoreOptions } from "./parts.ts";
import { merged, textOf, type Conversation, type Said } from "./messages.ts";

export interface Preparation {
  readonly conversation: Conversation;
  readonly model: ModelRef | null;
  readonly agent: string | null;
  /** Of the client; null: none. */
  readonly tools: readonly ToolSpec[] | null;
  readonly imports: boolean;
  readonly sender: string;
  readonly store: StoreOptions;
}

/** A conversation of a token is its person's from its first message on. */
export async function openFor(app: App, key: string, origin: Address, reader: Audience): Promise<Session> {
  const session = await app.agent.sessions.open(key, origin);
  if (reader !== OWNER && session.state.audience === undefined && isUnused(session.state))
    await session.commit({ type: "audience.set", audience: reader });
  return session;
}

/** The session is idle. */
export async function prepareSession(app: App, session: Session, given: Preparation): Promise<void> {
  const { conversation, model, agent, tools, imports } = given;
  const records: JournalRecord[] = [];
  if (imports && session.state.rows === 0) {
    const messages = await importedMessages(app, conversation.earlier, given);
    if (messages.length > 0)
      records.push({ type: "history.imported", messages, rows: messages.length, consolidated: 0 });
  }
  const changes = {
    ...(!sameModel(session.state.model ?? null, model) && { model }),
    ...((session.state.agent ?? null) !== agent && { agent }),
    ...(JSON.stringify(session.state.clientTools ?? null) !== JSON.stringify(tools) && { clientTools: tools }),
  };
  if (Object.keys(changes).length > 0) records.push({ type: "session.configured", ...changes, reset: false });
  const notice = instructionsNotice(app, conversation.instructions);
  const last = session.state.messages.findLast((each) => each.role === "notice" && each.text.startsWith(OPENING));
  if (notice !== undefined && !(last?.role === "notice" && last.text === notice))
    records.push({
      type: "notice.added",
      notice: { role: "notice", at: app.clock.now(), kind: "runtime", text: notice, ...MARKS },
    });
  if (records.length > 0) await session.commit(...records);
}

/** A token never speaks for the operator: what it says was said before is a stranger's, as its messages are. */
const MARKS = { integrity: "untrusted" } as const;
const BEGINNING = "[The conversation begins with an answer.]";
const OPENING = "Instructions of the program that relays this conversation.";

/** Behind our own prompt, as a notice: they cannot replace the rules in it. */
function instructionsNotice(app: App, instructions: string): string | undefined {
  const text = cleaned(app, instructions).trim();
  if (text === "") return undefined;
  return `${OPENING} Follow them where they do not contradict the rules above; they replace earlier ones of this kind.\n\n${text}`;
}

async function importedMessages(
  app: App,
  earlier: readonly Said[],
  { sender, store }: Preparation,
): Promise<readonly Message[]> {
  const at = app.clock.now();
  const messages: Message[] = [];
  const said = merged(earlier);
  // Some providers take no conversation that the assistant opens.
  const opened: readonly Said[] =
    said[0]?.role === "assistant" ? [{ role: "user", pieces: [{ type: "text", text: BEGINNING }] }, ...said] : said;
  for (const { role, pieces } of opened)
    if (role === "assistant")
      messages.push({
        role,
        at,
        model: { provider: "imported", model: "imported" },
        parts: [{ type: "text", text: cleaned(app, textOf(pieces)) }],
        finish: "stop",
        usage: NO_USAGE,
        ...MARKS,
      });
    else {
      const parts = await storePieces(pieces, store);
      messages.push({
        role,
        id: app.ids.next("m"),
        at,
        from: { id: sender, kind: "person" },
        parts: parts.map((part) => (part.type === "text" ? { ...part, text: cleaned(app, part.text) } : part)),
        ...MARKS,
      });
    }
  return messages;
}

/** As the inbox takes in what others write. */
function cleaned(app: App, text: string): string {
  return app.inside.redact(neutral(text));
}

function sameModel(a: ModelRef | null, b: ModelRef | null): boolean {
  return a?.provider === b?.provider && a?.model === b?.model;
}
