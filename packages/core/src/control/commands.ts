/** Slash commands: answered at once, outside the lane, the model's context and the transcript. */
import type { InboundMessage } from "../contract/bus.ts";
import type { Address, Sender } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Session } from "../contract/session.ts";
import type { CommandActions } from "./actions.ts";
import type { LabelledFile, Stopped } from "../contract/commands.ts";
import { isGroup } from "../lib/audience.ts";
import { isUntrusted } from "../lib/labels.ts";
import { nearest } from "../lib/nearest.ts";
import { ellipsis } from "../lib/text.ts";
import { agentCommand, hasAgents } from "./agent-command.ts";
import { approveCommand } from "./approvals.ts";
import { commandTexts, type CommandTexts } from "./command-texts.ts";
import { linkCommand } from "./link-command.ts";
import { quarantineCommand } from "./quarantine-command.ts";
import { serverCommand } from "./server-command.ts";
import { hasShares, sharedCommand } from "./shared-command.ts";
import { helpFor, mayCommand, mayStop } from "./who-may.ts";

/**
 * @param answered the records by which a command counts as answered. What must not happen twice is committed with them:
 * a message that is delivered again after a crash would find another question, or another context.
 * @returns the answer, or undefined when the text is no command.
 */
export async function runCommand(
  session: Session,
  message: InboundMessage,
  text: string,
  { actions, answered }: Pick<Call, "actions" | "answered">,
): Promise<string | undefined> {
  const parsed = parseCommand(text, actions.names);
  if (parsed === undefined) return undefined;
  const texts = commandTexts(actions.language());
  const { name, argument } = parsed;
  const handler = isThere(name, session, actions) ? COMMANDS.get(name) : undefined;
  if (handler === undefined) {
    const names = [...COMMANDS.keys()].filter((one) => isThere(one, session, actions));
    return texts.unknown(name, nearest(name, names));
  }
  const speaker = actions.speaker(message.from, message.origin);
  if (!mayCommand(name, session, speaker) || (name === "stop" && !mayStop(session.state, message.from, speaker.role)))
    return texts.notAllowed;
  if (name === "digest" && isGroup(session.state.audience)) return undefined; // answered by the model, like any message
  return handler({ session, message, by: message.from, origin: message.origin, argument, actions, texts, answered });
}

/** `/word`, also with the wide slash of Chinese keyboards, alone or before a space; `/etc/hosts` and `/stopwatch now` with other letters are text. */
export function parseCommand(
  text: string,
  names: readonly string[],
): { readonly name: string; readonly argument: string | undefined } | undefined {
  const match = /^[/\uff0f]([a-z][a-z-]*)(?:@([\w-]+))?(?:\s+([\s\S]*))?$/i.exec(text.trim());
  if (match === null) return undefined;
  const [, word = "", bot, argument] = match;
  if (bot !== undefined && !names.includes(bot.toLowerCase())) return undefined;
  const trimmed = argument?.trim();
  return { name: word.toLowerCase(), argument: trimmed === "" ? undefined : trimmed };
}

/** Which of ours it is. */
export function commandIn(text: string): string | undefined {
  const name = parseCommand(text, OUR_NAMES)?.name;
  return name !== undefined && COMMANDS.has(name) ? name : undefined;
}

/** A text that looks like a command and is none; `close` is the nearest there is. */
export function unknownCommand(
  text: string,
): { readonly name: string; readonly close: string | undefined } | undefined {
  const name = parseCommand(text, OUR_NAMES)?.name;
  return name === undefined || COMMANDS.has(name) ? undefined : { name, close: nearest(name, [...COMMANDS.keys()]) };
}

interface Call {
  readonly session: Session;
  readonly message: Pick<InboundMessage, "chat">;
  readonly by: Sender;
  readonly origin: Address;
  readonly argument: string | undefined;
  readonly actions: CommandActions;
  readonly texts: CommandTexts;
  readonly answered: (answer: string) => readonly JournalRecord[];
}

/** Behind `@`: another bot's command is not ours. */
export const OUR_NAMES: readonly string[] = ["margay", "margay_bot"];

const MEMORY_LINES = 20;
/** Files: of more it is said how many. */
const FILE_LINES = 20;
const HISTORY_ROWS = 10;
const HISTORY_CHARS = 120;

type Handler = (call: Call) => Promise<string>;

const HANDLERS: Readonly<Record<string, Handler>> = {
  help: ({ session, by, origin, actions, texts }) =>
    Promise.resolve(helpFor(session, actions.speaker(by, origin), texts, (name) => isThere(name, session, actions))),
  new: async ({ session, by, actions, texts, answered }) => {
    await actions.clear(session, by, () => answered(texts.cleared));
    return texts.cleared;
  },
  stop: async ({ session, by, origin, argument, actions, texts, answered }) => {
    if (argument === "all")
      return actions.mayApprove(by, origin) ? texts.stoppedAll(await actions.stopAll(by)) : texts.notAllowed;
    const one = argument === undefined ? undefined : await actions.stopOne(session, argument);
    if (one !== undefined) return texts.stoppedOne(one);
    // A number can only be meant for one that has ended; any other word does not hold a stop up.
    if (argument !== undefined && /^\d+$/.test(argument)) return texts.noSubagent(argument);
    const textOf = ({ work }: Stopped): string => texts.stopped(work);
    return textOf(await actions.stop(session, by, (done) => answered(textOf(done))));
  },
  memory: async (call) => {
    const { session, actions, texts } = call;
    if (isProgram(call)) return texts.notAllowed;
    const facts = await actions.memory(session);
    if (facts === undefined) return texts.noMemory;
    const lines = facts.split("\n").filter((line) => line.trim() !== "");
    return texts.memory(lines.slice(0, MEMORY_LINES), Math.max(0, lines.length - MEMORY_LINES));
  },
  compact: ({ session, actions, texts }) => Promise.resolve(texts.compact(actions.compact(session))),
  resume: async ({ by, origin, actions, texts }) =>
    actions.mayApprove(by, origin) ? texts.resumed(await actions.resume(by)) : texts.notAllowed,
  restart: ({ by, origin, actions, texts }) =>
    Promise.resolve(actions.mayApprove(by, origin) ? texts.restart(actions.restart()) : texts.notAllowed),
  history: ({ session, texts }) => Promise.resolve(texts.history(spoken(session).slice(-HISTORY_ROWS))),
  cron: async (call) =>
    isProgram(call) ? call.texts.notAllowed : call.texts.jobs(await call.actions.jobs(call.session)),
  skills: async ({ session, by, actions, texts }) =>
    texts.skills((await actions.skill?.(session, undefined, by))?.names ?? []),
  usage: ({ session, texts }) => Promise.resolve(texts.usage(session.state.usage)),
  whoami: ({ by, origin, actions, texts }) => Promise.resolve(actions.whoami?.(by, origin) ?? texts.owner),
  link: (call) => (isProgram(call) ? Promise.resolve(call.texts.notAllowed) : linkCommand(call)),
  status: ({ session, actions }) => Promise.resolve(actions.status(session)),
  model: async ({ session, argument, actions, texts }) => {
    const model = await actions.model(session, argument);
    return model === undefined ? texts.noModel(argument ?? "") : texts.model(model, argument !== undefined);
  },
  agent: agentCommand,
  persona: async ({ session, argument, actions, texts }) => {
    const persona = await actions.persona(session, argument);
    return persona === undefined ? texts.noPersona(argument ?? "") : texts.persona(persona, argument !== undefined);
  },
  skill: async ({ session, by, argument, actions, texts }) => {
    const { requested, names } = (await actions.skill?.(session, argument, by)) ?? { requested: false, names: [] };
    if (argument === undefined) return texts.skills(names);
    return requested ? texts.skill(argument) : texts.noSkill(argument, names);
  },
  trust: async (call) => {
    const { session, by, origin, argument, actions, texts, answered } = call;
    if (!actions.mayApprove(by, origin)) return texts.notAllowed;
    const [what = "", ...paths] = argument?.split(/\s+/) ?? [];
    if (what === "files") return trustFiles(call, paths);
    const was = isUntrusted(session.state.label);
    if (was) await session.commit({ type: "context.endorsed", by }, ...answered(texts.trusted(was)));
    return texts.trusted(was);
  },
  mcp: async ({ session, by, origin, argument, actions, texts }) =>
    actions.mayApprove(by, origin) ? serverCommand(session, by, argument, actions) : texts.notAllowed,
  rules: async ({ session, by, origin, argument, actions: { rules, mayApprove }, texts }) => {
    if (!mayApprove(by, origin)) return texts.notAllowed;
    const [word, id = ""] = argument?.split(/\s+/) ?? [];
    if (word !== "remove") return texts.rules(rules?.list() ?? [], session.state.grants ?? []);
    const rule = await rules?.remove(id); // the answers of this chat go with /new
    return rule === undefined ? texts.noRule(id) : texts.ruleRemoved(rule.shown);
  },
  quarantine: async ({ session, by, origin, argument, actions, texts: { notAllowed, quarantine: texts } }) => {
    if (!actions.mayApprove(by, origin)) return notAllowed;
    return quarantineCommand({ session, by, argument, quarantine: actions.quarantine, texts });
  },
  here: async ({ session, origin, argument, actions, texts }) => {
    if (actions.join === undefined || !isGroup(session.state.audience)) return texts.onlyInGroups;
    const isOff = argument === "off";
    const isSo = await actions.join(origin, !isOff);
    return isSo ? (isOff ? texts.left : texts.joined) : texts.settled;
  },
  digest: ({ texts }) => Promise.resolve(texts.onlyInGroups),
  allow: (call) => approveCommand(call, "allow"),
  approve: (call) => approveCommand(call, "allow"),
  shared: async (call) => (isProgram(call) ? call.texts.notAllowed : sharedCommand(call)),
  deny: (call) => approveCommand(call, "deny"),
};

/** By name. A map: `/constructor` is a word that people type, and every object has one. */
const COMMANDS: ReadonlyMap<string, Handler> = new Map(Object.entries(HANDLERS));
/** All there are. */
export const COMMAND_NAMES: readonly string[] = [...COMMANDS.keys()];

/** Some are there only with what they are about. */
function isThere(name: string, session: Session, actions: CommandActions): boolean {
  if (name === "agent") return hasAgents(actions, session);
  return name !== "shared" || hasShares(actions);
}

/** With a token it speaks for the owner, and is told nothing that no conversation needs. */
function isProgram({ by, origin, actions }: Call): boolean {
  return actions.speaker(by, origin).role === "operator" && !actions.mayApprove(by, origin);
}

/** What each conversation was shown last: a yes is to that, whatever lies there by now. */
const shownFiles = new WeakMap<Session, readonly LabelledFile[]>();

/** `/trust files` shows them; `all`, or paths of those that were shown, vouches for them; `stranger` before paths does not. */
async function trustFiles({ session, by, actions, texts }: Call, given: readonly string[]): Promise<string> {
  const { files } = actions;
  const shown = shownFiles.get(session);
  const isStrange = given[0] === "stranger" && given.length > 1;
  const paths = isStrange ? given.slice(1) : given;
  if (files === undefined) return texts.labelledFiles([], 0);
  if (paths.length === 0 || shown === undefined) {
    const found = await files.list(paths[0] === "all" ? [] : paths);
    const listed = found.slice(0, FILE_LINES);
    shownFiles.set(session, listed);
    return texts.labelledFiles(listed, found.length - listed.length);
  }
  const chosen = shown.filter(
    ({ path }) => paths[0] === "all" || paths.some((one) => one === path || `${one}/` === path),
  );
  const repositories = chosen.flatMap(({ path, origin }) => (origin === undefined ? [] : [path]));
  if ((isStrange ? repositories : chosen).length === 0) return texts.notShown(paths.join(" "));
  if (isStrange) return texts.endorsedFiles(await files.disown(repositories));
  return texts.endorsedFiles(await files.endorse(chosen, by.id));
}

/** What was said, one line each; tool calls and their results are left out. */
function spoken(session: Session): readonly { readonly role: "user" | "assistant"; readonly text: string }[] {
  return session.state.messages.flatMap((message) => {
    if (message.role !== "user" && message.role !== "assistant") return [];
    const text = message.parts
      .map((part) => (part.type === "text" ? part.text : ""))
      .join(" ")
      .replaceAll(/\s+/g, " ")
      .trim();
    if (text === "") return [];
    return [{ role: message.role, text: ellipsis(text, HISTORY_CHARS) }];
  });
}
