/** Whether the channels that are switched on could be made: a gateway with one that cannot does not start. */
import { RuntimeError } from "@margay/core";
import { messageOf, silentLog, systemClock } from "@margay/core/internal";
import { isKnownChannel } from "../../config/channel-ids.ts";
import type { ConfigCheck, Finding } from "../../host/finding.ts";
import { createChannel } from "./list.ts";

export const checkChannelSettings: ConfigCheck = (_examined, { config, places: { home, channels: folder } }) => {
  const deps = { home, folder, clock: systemClock(), log: silentLog };
  return Object.entries(config.channelsById).flatMap(([id, channel]): readonly Finding[] => {
    if (!channel.enabled || !isKnownChannel(id, config.channelsById)) return []; // what is none is said elsewhere
    try {
      createChannel(id, channel, deps);
      return [];
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      const repair = `margay config set channels.${id}.enabled false`;
      return [{ id: "channelSettings", level: "problem", text: messageOf(error), repair }];
    }
  });
};
