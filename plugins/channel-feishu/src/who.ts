/** Who we are at Feishu. */
import type { ChannelHost } from "@margay/core/plugin";
import type { Api } from "./api.ts";
import { isRecord, needed, textOf } from "./json.ts";

/** @throws Refusal, NoAnswer, TypeError; the reason of the signal. */
export async function whoAmI(
  { api }: { readonly api: Api; readonly host: ChannelHost },
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly openId: string }> {
  const body = await api.call("GET", "/bot/v3/info", { signal });
  const bot = isRecord(body["bot"]) ? body["bot"] : {};
  return { name: textOf(bot["app_name"]) ?? "", openId: needed(bot["open_id"], "bot.open_id") };
}
