/** The commands that Discord offers to who types `/`, and what comes of one. */
import type { CommandInfo } from "@margay/core/plugin";
import { faultOf } from "./faults.ts";
import { answer, type Interaction, placeOf } from "./interactions.ts";
import { isRecord, needed, recordsOf, textOf } from "./json.ts";
import type { Account, Taking } from "./take.ts";

/** What Discord takes. */
const NAME = /^[a-z0-9_-]{1,32}$/;
const MAX_CHARS = 100;
/** Numbers of Discord: a command that is typed, a word that is given to it, a server, a private chat with us. */
const TYPED = 1;
const WORDS = 3;
const SERVER = 0;
const OURS = 1;

/** In place of all that there were, in every server and private chat. @throws a fault. */
export async function setCommands(
  list: readonly CommandInfo[],
  { rest, host }: Account,
  signal: AbortSignal,
): Promise<void> {
  const words = {
    name: "words",
    type: WORDS,
    description: "What stands behind it.",
    description_localizations: { "zh-CN": "写在命令后面的内容。" },
  };
  const body = list
    .filter(({ name }) => NAME.test(name))
    .map(({ name, description, words: hasWords }) => ({
      name,
      type: TYPED,
      description: cut(description.en),
      description_localizations: { "zh-CN": cut(description["zh-CN"]) },
      contexts: [SERVER, OURS],
      ...(hasWords === true && { options: [words] }),
    }));
  try {
    // Of an old bot it is another number than that of its account.
    const own = await rest.call("GET", "/applications/@me", { signal });
    const id = needed(isRecord(own) ? own["id"] : undefined, "id");
    await rest.call("PUT", `/applications/${id}/commands`, { signal, body });
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host);
  }
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= MAX_CHARS ? text : `${characters.slice(0, MAX_CHARS - 1).join("")}…`;
}

/** As it would have been written; undefined: of something else. @throws TypeError for a form that nobody foresaw. */
export function commandOf({ inner }: Interaction): string | undefined {
  if (inner["type"] !== TYPED) return undefined;
  const words = recordsOf(inner["options"]).flatMap(({ value }) => textOf(value) ?? []);
  return [`/${needed(inner["name"], "name")}`, ...words].join(" ");
}

/**
 * It is a message of that chat, and is answered there. Who typed it sees at once, alone, that it was taken, or why not.
 * @throws a fault, or what `inbox.accept` throws: Discord tells it again.
 */
export async function takeCommand(command: Interaction, text: string, taking: Taking): Promise<void> {
  const { account, inbox, signal } = taking;
  const { chats, settings, host } = account;
  const { id, guild, from } = command;
  if (guild !== undefined && settings.guilds.length > 0 && !settings.guilds.includes(guild)) return;
  const origin = await placeOf(command, taking);
  const chat = guild === undefined ? "private" : "group";
  const title = guild === undefined ? undefined : chats.nameOf(origin.chat);
  const accepted = await inbox.accept({
    key: `command:${id}`,
    origin,
    from,
    chat,
    parts: [{ type: "text", text }],
    ...(guild !== undefined && { addressed: "command" as const }),
    ...(title !== undefined && { title }),
  });
  let said = `\`${text.replaceAll("`", "'")}\``;
  if (accepted.status === "refused") {
    const say = (words: string): Promise<string> => Promise.resolve((said = words));
    await host.refused(accepted, { chat, where: "at Discord", say, signal });
  }
  await answer(command, said, taking);
}
