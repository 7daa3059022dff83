/** The rooms that we are in: who is there, and under which name we are. */
import type { ChannelHost } from "@margay/core/plugin";
import { featuresOf } from "./archive.ts";
import type { Link } from "./link.ts";
import { NS, type Stanza } from "./names.ts";
import type { RoomView } from "./read.ts";
import { bareOf, resourceOf } from "./settings.ts";

/** One room, joined or not. */
export interface Room extends RoomView {
  readonly address: string;
  readonly isJoined: boolean;
  readonly hasArchive: boolean;
}

export interface Rooms {
  get(address: string): Room | undefined;
  /** @param since What was said later is wanted, when the room keeps no archive. */
  join(address: string, since: number | undefined): Promise<Room | undefined>;
  /** What the room says of somebody in it. @returns false: it is of no room. */
  take(presence: Stanza): boolean;
}

interface State extends Room {
  nickname: string;
  isJoined: boolean;
  readonly people: Map<string, string | undefined>;
  joining: { settle(error?: string): void } | undefined;
}

/** So many other names are tried when ours is taken. */
const NAMES = 3;
const JOIN_MS = 15_000;

export function openRooms(link: Link, nickname: string, host: ChannelHost): Rooms {
  const rooms = new Map<string, State>();
  return {
    get: (address) => rooms.get(address),
    join: async (address, since) => {
      const features = await featuresOf(link, address);
      const people = new Map<string, string | undefined>();
      const state: State = {
        address,
        nickname,
        isJoined: false,
        hasArchive: features.includes(NS.archive),
        isOpen: features.includes("muc_nonanonymous"),
        addressOf: (name) => people.get(name),
        people,
        joining: undefined,
      };
      rooms.set(address, state);
      for (let tries = 0; tries < NAMES; tries++) {
        state.nickname = nickname + "_".repeat(tries);
        const refused = await enter(link, state, state.hasArchive ? undefined : since, host);
        if (refused === undefined) return state;
        host.log.warn("xmpp.not-in-room", { room: address, as: state.nickname, why: refused });
        if (refused !== "conflict") return undefined;
      }
      return undefined;
    },
    take: (presence) => {
      const state = rooms.get(bareOf(presence.attrs["from"] ?? ""));
      if (state !== undefined) takePresence(state, presence, host);
      return state !== undefined;
    },
  };
}

async function enter(
  link: Link,
  state: State,
  since: number | undefined,
  { clock }: ChannelHost,
): Promise<string | undefined> {
  const { xml } = link;
  const answer = Promise.withResolvers<string | undefined>();
  state.joining = { settle: answer.resolve };
  using _timer = clock.timer(JOIN_MS, () => answer.resolve("no answer"));
  const history = since === undefined ? { maxstanzas: "0" } : { since: new Date(since).toISOString() };
  await link.write(
    xml(
      "presence",
      { to: `${state.address}/${state.nickname}` },
      xml("x", { xmlns: NS.room }, xml("history", history)),
    ),
  );
  const refused = await answer.promise;
  state.joining = undefined;
  return refused;
}

function takePresence(state: State, presence: Stanza, host: ChannelHost): void {
  const { type, from = "" } = presence.attrs;
  const nickname = resourceOf(from);
  if (type === "error") {
    const condition = presence
      .getChild("error")
      ?.getChildElements()
      .find((child) => child.getNS() === NS.stanzaErrors);
    state.joining?.settle(condition?.name ?? "refused");
    return;
  }
  if (nickname === undefined) return;
  const x = presence.getChild("x", NS.roomUser);
  const codes = x?.getChildren("status").map(({ attrs }) => attrs["code"]) ?? [];
  const isUs = codes.includes("110") || nickname === state.nickname;
  if (type === "unavailable") {
    state.people.delete(nickname);
    const renamed = codes.includes("303") ? x?.getChild("item")?.attrs["nick"] : undefined;
    if (!isUs) return;
    if (renamed === undefined) {
      state.isJoined = false;
      host.log.warn("xmpp.left-room", { room: state.address, codes: codes.join(" ") });
    } else state.nickname = renamed;
    return;
  }
  const address = x?.getChild("item")?.attrs["jid"];
  state.people.set(nickname, address === undefined ? undefined : bareOf(address));
  if (!isUs) return;
  state.nickname = nickname; // the server may have changed it
  state.isJoined = true;
  state.joining?.settle();
}
