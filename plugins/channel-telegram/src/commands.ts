/** The commands that Telegram offers to who types `/`: for every chat, in Chinese to who has Telegram in Chinese. */
import type { CommandInfo } from "@margay/core/plugin";
import type { Sender } from "./send.ts";
import { faultOf } from "./faults.ts";

/** What Telegram takes, and none of its apps takes a hyphen for part of a command. */
const NAME = /^[a-z0-9_]{1,32}$/;
const MAX_CHARS = 256;

/** @throws a fault. */
export async function setCommands(
  list: readonly CommandInfo[],
  { api, host }: Sender,
  signal: AbortSignal,
): Promise<void> {
  const listIn = (language: keyof CommandInfo["description"]) =>
    list
      .filter(({ name }) => NAME.test(name))
      .map(({ name, description }) => ({ command: name, description: description[language].slice(0, MAX_CHARS) }));
  try {
    // The list for everybody last: who is stopped in between has both set anew.
    await api.call("setMyCommands", { commands: listIn("zh-CN"), language_code: "zh" }, { signal });
    await api.call("setMyCommands", { commands: listIn("en") }, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host);
  }
}
