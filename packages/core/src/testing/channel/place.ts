/** A peer as the cases see it that ask the channel alone. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { channelHost } from "../../channels/host.ts";
import { silentLog } from "../../machine/system/log.ts";
import { systemClock } from "../../machine/system/clock.ts";
import type { ChannelPlace, GivenPlace } from "./channel-place.ts";
import { eventually } from "./house.ts";
import type { ChannelSuite } from "./peer.ts";

/** A place of an author, whose channel has a host. */
export async function hosted(create: () => Promise<GivenPlace>): Promise<ChannelPlace> {
  const place = await create();
  if ("run" in place.channel) return place as ChannelPlace; // looked at just now
  const { plugin, options } = place.channel;
  const folder = mkdtempSync(join(tmpdir(), "margay-place-"));
  const host = channelHost(options.id, { folder, clock: systemClock(), log: silentLog, report: () => {} });
  return {
    ...place,
    channel: plugin.create(options, host),
    [Symbol.asyncDispose]: async () => {
      await place[Symbol.asyncDispose]?.();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export async function placeOf({ peer: create, gaps }: ChannelSuite): Promise<ChannelPlace> {
  const clock = systemClock();
  const peer = await create({ clock });
  const folder = mkdtempSync(join(tmpdir(), "margay-place-"));
  let ups = 0;
  let runs = 0;
  const report = (_id: string, { state }: { readonly state?: "up" }): void => void (ups += state === "up" ? 1 : 0);
  const host = channelHost(peer.id, {
    folder,
    clock,
    log: silentLog,
    report,
    ...(peer.hooks !== undefined && { hooks: peer.hooks }),
  });
  const channel = peer.plugin.create({ id: peer.id, settings: peer.settings }, host);
  const [anna, ben] = [await peer.person("Anna"), await peer.person("Ben")];
  const [chat, other] = [await peer.chat(anna), await peer.chat(ben)];
  const written = new Map<number, unknown>();
  return {
    channel: {
      ...channel,
      run: (inbox, signal) => {
        runs += 1;
        return channel.run(inbox, signal);
      },
    },
    chat,
    other,
    shown: async () => {
      const all = await Promise.all(
        [chat, other].map(async (to) => (await peer.shown(to)).map(({ text }) => ({ to, text }))),
      );
      return all.flat();
    },
    ...(peer.faultless?.includes("error") !== true && { refuse: (sends: number) => peer.fault("error", sends) }),
    // A person writes to somebody who is there: what came before is not asked for everywhere.
    ...(gaps.again === undefined && {
      write: async (id: number, text: string) => {
        await eventually("the channel is up", () => ups >= runs);
        if (written.has(id)) await peer.again?.(written.get(id), host);
        else written.set(id, await peer.write(anna, chat, text));
      },
    }),
    ...(peer.limit !== undefined && { limit: peer.limit }),
    ...(peer.acknowledged !== undefined && { acknowledged: (id) => taken(id) }),
    [Symbol.asyncDispose]: async () => {
      await peer[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };

  async function taken(id: number): Promise<void> {
    await eventually(
      "it is acknowledged",
      () => written.has(id) && peer.acknowledged?.(written.get(id), host) === true,
    );
  }
}
