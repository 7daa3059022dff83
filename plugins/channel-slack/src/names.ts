/** What people are called, asked once each. Best effort: a message does not wait for a name that nobody tells. */
import type { ChannelHost } from "@margay/core/plugin";
import { type Api, messageOf, NoAnswer, Refusal } from "./api.ts";
import { isRecord, textOf } from "./json.ts";

const MAX_NAMES = 5000;

export class Names {
  readonly #api: Api;
  readonly #host: ChannelHost;
  readonly #names = new Map<string, string>();

  constructor(api: Api, host: ChannelHost) {
    this.#api = api;
    this.#host = host;
  }

  of(user: string): string | undefined {
    return this.#names.get(user);
  }

  /** @throws the reason of the signal. */
  async learn(users: readonly string[], signal: AbortSignal): Promise<void> {
    for (const user of users) {
      if (this.#names.has(user)) continue;
      try {
        const { body } = await this.#api.call("users.info", { user }, signal);
        const about = isRecord(body["user"]) ? body["user"] : {};
        const profile = isRecord(about["profile"]) ? about["profile"] : {};
        const name = textOf(profile["display_name"]) ?? textOf(profile["real_name"]) ?? textOf(about["name"]);
        if (this.#names.size >= MAX_NAMES) this.#names.clear();
        if (name !== undefined) this.#names.set(user, name);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Refusal || error instanceof NoAnswer)) throw error;
        this.#host.log.debug("slack.name-unknown", { user, message: messageOf(error) });
      }
    }
  }
}
