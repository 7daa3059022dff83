/** What people are called, asked once a day. Best effort: a message waits a moment for a name, and no longer. */
import type { ChannelHost } from "@margay/core/plugin";
import { type Api, messageOf, NoAnswer, Refusal } from "./api.ts";
import { isRecord, textOf } from "./json.ts";

const MAX_NAMES = 10_000;
const DAY_MS = 86_400_000;
/** Slack waits for its acknowledgement while we ask. */
const MOMENT_MS = 1000;

export class Names {
  readonly #api: Api;
  readonly #host: ChannelHost;
  readonly #names = new Map<string, { readonly name: string; readonly until: number }>();

  constructor(api: Api, host: ChannelHost) {
    this.#api = api;
    this.#host = host;
  }

  of(user: string): string | undefined {
    return this.#names.get(user)?.name;
  }

  /** @throws the reason of the signal. */
  async learn(users: readonly string[], signal: AbortSignal): Promise<void> {
    const { clock } = this.#host;
    const late = new AbortController();
    using _late = clock.timer(MOMENT_MS, () => late.abort(new NoAnswer("it takes too long", "maybe")));
    const soon = AbortSignal.any([signal, late.signal]);
    for (const user of users) {
      if ((this.#names.get(user)?.until ?? 0) > clock.now()) continue;
      try {
        const { body } = await this.#api.call("users.info", { user }, soon);
        const about = isRecord(body["user"]) ? body["user"] : {};
        const profile = isRecord(about["profile"]) ? about["profile"] : {};
        const name = textOf(profile["display_name"]) ?? textOf(profile["real_name"]) ?? textOf(about["name"]);
        if (name !== undefined) this.#keep(user, name);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Refusal || error instanceof NoAnswer)) throw error;
        this.#host.log.debug("slack.name-unknown", { user, message: messageOf(error) });
      }
    }
  }

  /** The oldest go. */
  #keep(user: string, name: string): void {
    this.#names.delete(user);
    this.#names.set(user, { name, until: this.#host.clock.now() + DAY_MS });
    const [oldest] = this.#names.keys();
    if (this.#names.size > MAX_NAMES && oldest !== undefined) this.#names.delete(oldest);
  }
}
