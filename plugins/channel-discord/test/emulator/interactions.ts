// Buttons that are pressed, and what the bot says to it.

import type { Fields } from "./fields.ts";
import { draftOf, type Call, WRITTEN } from "./messages.ts";
import { invalid, refusal } from "./refusal.ts";
import type { Command, Room } from "./world.ts";

/** Somebody pressed. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly room: Room;
  readonly at: number;
  /** Type of the callback, once it was called back. */
  answered?: number;
  /** The message of the answer. */
  original?: string;
}

export const CALLBACK: Fields = { type: "integer!", data: { ...WRITTEN, tts: "boolean", choices: ["any"] } };
export const COMMANDS: Fields = {
  name: "string!",
  description: "string!",
  type: "integer",
  options: ["any"],
  name_localizations: "any",
  description_localizations: "any",
  default_member_permissions: "string",
  contexts: ["integer"],
  integration_types: ["integer"],
  nsfw: "boolean",
};

/** Those that are of use here. */
const LOCALES = ["en-US", "en-GB", "zh-CN", "zh-TW", "de", "fr", "ja"];
const ACK_MS = 3000;
const TOKEN_MS = 900_000;

/** Once, within three seconds. */
export function callBack(call: Call, interactions: Iterable<Interaction>): undefined {
  const { world, path, body } = call;
  const found = [...interactions].find(({ id, token }) => id === path["interaction"] && token === path["token"]);
  if (found === undefined || world.now() - found.at > ACK_MS) throw refusal(10_062);
  if (found.answered !== undefined) throw refusal(40_060);
  const type = Number(body["type"]);
  if (![4, 5, 6, 7].includes(type)) throw invalid("type", "BASE_TYPE_CHOICES", "Value must be one of {4, 5, 6, 7}.");
  found.answered = type;
  if (type === 4) found.original = say(call, found, body["data"]);
}

/** What comes behind a callback: the answer that was put off, or one more. */
export function followUp(call: Call, interactions: Iterable<Interaction>, original: boolean): unknown {
  const { world, path, body } = call;
  const found = [...interactions].find(({ token }) => token === path["token"]);
  const holds = found?.answered !== undefined && world.now() - found.at < TOKEN_MS && path["app"] === world.me.id;
  if (!holds) throw refusal(50_027);
  const id = original ? (found.original ?? say(call, found, body)) : say(call, found, body);
  if (original && found.original !== undefined)
    return world.edit(found.room, world.message(found.room, id), String(body["content"] ?? ""));
  if (original) found.original = id;
  return world.message(found.room, id);
}

/** All of an application are put at once. */
export function putCommands({ world, path, body }: Call): unknown {
  if (path["app"] !== world.me.id) throw refusal(20_012);
  const list = body["list"] as readonly Command[]; // checked by its table
  if (list.length > 100) throw invalid("_", "APPLICATION_COMMANDS_TOO_MANY", "Too many commands");
  for (const [index, { name, description, description_localizations: local = {} }] of list.entries()) {
    if (!/^[-_\p{L}\p{N}]{1,32}$/u.test(name) || name !== name.toLowerCase())
      throw invalid(`${index}.name`, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
    if (list.findIndex((one) => one.name === name) !== index)
      throw invalid(`${index}.name`, "APPLICATION_COMMANDS_DUPLICATE_NAME", "Command names must be unique");
    for (const [where, text] of Object.entries({ description, ...local }))
      if (text === "" || [...text].length > 100)
        throw invalid(`${index}.${where}`, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
    if (Object.keys(local).some((locale) => !LOCALES.includes(locale)))
      throw invalid(`${index}.description_localizations`, "BASE_TYPE_CHOICES", "No such locale.");
  }
  world.commands.push(list);
  return list.map((command, index) => ({ ...command, id: String(index + 1), version: "1" }));
}

function say(call: Call, { room }: Interaction, body: unknown): string {
  const draft = draftOf({ ...call, body: (body ?? {}) as Call["body"] }, room); // checked by its table
  return call.world.say(room, call.world.me, draft).id;
}
