/** A platform is told of our commands once for each list, and not at each start. */
import type { Channel, ChannelHost, CommandInfo } from "../../contract/channel.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import { sha256 } from "../../machine/system/hash.ts";

export interface Registering {
  /** For the plugin: when it is up, its platform is told. */
  readonly host: ChannelHost;
  /** In place of the channel's own. */
  run(channel: Channel, ...given: Parameters<Channel["run"]>): Promise<void>;
}

/** Below the other values of the channel: they go when its account is another one. */
const REGISTERED = "commands";

/** Nothing waits for it, and its failure is no failure of the channel. */
export function registering(host: ChannelHost, list: readonly CommandInfo[]): Registering {
  const hash = sha256(JSON.stringify(list));
  const tell = async (channel: Channel, signal: AbortSignal): Promise<void> => {
    if (channel.commands === undefined || host.state.value(REGISTERED) === hash) return;
    await channel.commands(list, signal);
    await host.state.setValue(REGISTERED, hash);
  };
  let telling: Promise<void> | undefined;
  let isUp = (): void => {};
  return {
    host: {
      ...host,
      up: (account) => {
        host.up(account);
        isUp();
      },
    },
    run: async (channel, inbox, signal) => {
      isUp = () => {
        telling ??= tell(channel, signal)
          .catch((error: unknown) => {
            if (signal.aborted) return;
            host.log.warn("channel.commands-failed", { channel: channel.id, message: messageOf(error) });
          })
          .finally(() => (telling = undefined));
      };
      await channel.run(inbox, signal);
    },
  };
}
