/** What people and chats are called. */
import type { Channel } from "@margay/core/plugin";
import type { Account } from "./account.ts";
import { Refusal } from "./api.ts";
import { faultOf } from "./faults.ts";
import { isRecord, textOf } from "./json.ts";

/** @throws a fault; the reason of the signal. */
export function namesOf({ api, host }: Account): NonNullable<Channel["nameOf"]> {
  return async (id, kind, signal) => {
    try {
      if (kind === "chat") {
        const { body } = await api.call("conversations.info", { channel: id }, signal);
        return isRecord(body["channel"]) ? textOf(body["channel"]["name"]) : undefined;
      }
      const { body } = await api.call("users.info", { user: id }, signal);
      const about = isRecord(body["user"]) ? body["user"] : {};
      const profile = isRecord(about["profile"]) ? about["profile"] : {};
      return textOf(profile["display_name"]) ?? textOf(profile["real_name"]) ?? textOf(about["name"]);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Refusal && error.code.endsWith("_not_found")) return undefined;
      throw faultOf(error, host);
    }
  };
}
