/** A channel whose plugin is loaded when it first receives or sends: a start costs nothing for a platform nobody uses. */
import { type Channel, type Json, type JsonObject, RuntimeError } from "@margay/core";
import {
  type ChannelCan,
  ChannelFault,
  channelHost,
  channelShelf,
  type ChannelHostOptions,
  check,
  claimChannelFolder,
  commandList,
  commandTexts,
  endOfTick,
  isRecord,
  keepNames,
  registering,
  sha256,
} from "@margay/core/internal";
import { loadChannelPlugin } from "../../models/plugin-load.ts";
import type { PluginPlace } from "../../models/plugin-locate.ts";
import type { ChannelConfig, ChannelKind } from "./kinds.ts";

type Kind = ChannelKind & { readonly place: PluginPlace };

/** @throws RuntimeError `config.invalid`: a setting is missing or wrong. */
export function pluginChannel(
  id: string,
  kind: Kind,
  config: ChannelConfig,
  deps: ChannelHostOptions,
): Required<Omit<Channel, "commands" | "isOff" | "uncertain" | "findSent">> & Pick<Channel, "findSent"> {
  const settings = settingsFor(id, kind, config);
  const own = URL.parse(String(settings["baseUrl"] ?? ""));
  const ownHost = own === null ? [] : [own.protocol === "http:" ? `http://${own.hostname}` : own.hostname];
  const fileHosts = [...(kind.fileHosts ?? []), ...ownHost];
  const registered = registering(channelHost(id, { ...deps, fileHosts }), commandList(commandTexts));
  const { host } = registered;
  const names = keepNames({
    ...{ channel: id, state: host.state, clock: host.clock, log: host.log },
    ask: async (of, kind, signal) => (await channel()).nameOf?.(of, kind, signal),
  });
  let made: Promise<Channel> | undefined;
  const channel = (): Promise<Channel> => {
    // A failed load is tried again: the plugin may have been installed anew.
    made ??= load();
    made.catch(() => (made = undefined));
    return made;
  };
  // Each in a turn of the event loop of its own: to read its code takes as long as others may be held up.
  const load = async (): Promise<Channel> => {
    await endOfTick();
    const { create } = await loadChannelPlugin(kind.place);
    await endOfTick();
    return create({ id, settings }, host);
  };
  return {
    id,
    can: canOf(kind.can, config),
    run: async (inbox, signal) => {
      await claimChannelFolder(channelShelf(deps.folder, id, deps.docs), accountOf(kind, settings));
      const running = await channel();
      return registered.run(running, running.nameOf === undefined ? inbox : names.inbox(inbox), signal);
    },
    send: async (piece, signal) => (await channel()).send(piece, signal),
    edit: async (platformId, message, signal) => (await channel()).edit?.(platformId, message, signal),
    remove: async (platformId, to, signal) => (await channel()).remove?.(platformId, to, signal),
    openStream: async (first, signal) => (await channel()).openStream?.(first, signal),
    fetchMedia: async (file, signal) => {
      const made = await channel();
      if (made.fetchMedia === undefined) throw new ChannelFault("refused", "this channel fetches no files");
      return made.fetchMedia(file, signal);
    },
    nameOf: async (of, kind, signal) =>
      (await channel()).nameOf === undefined ? undefined : names.nameOf(of, kind, signal),
    typing: async (to, signal) => (await channel()).typing?.(to, signal),
    react: async (of, emoji, isOn, to, signal) => (await channel()).react?.(of, emoji, isOn, to, signal),
    ...(kind.can.once === "lookup" && {
      findSent: async (piece, since, signal) => (await channel()).findSent?.(piece, since, signal),
    }),
  };
}

/** Where an answer is shown while it is written, what it quotes, and what else is told, shown, taken or waited for, is for its owner to say. */
function canOf(
  { live, quote, typingMs, react, ...rest }: ChannelCan,
  { live: where, quote: quotes, reactions, burstMs = 0, typing, ack = null, media }: ChannelConfig,
): ChannelCan {
  const can = {
    ...rest,
    ...(typingMs !== undefined && typing !== "off" && { typingMs }),
    ...(react === true && ack !== null && { react, ack }),
    ...(media !== undefined && { maxFileBytes: media.maxBytes }),
    ...(burstMs > 0 && { burstMs }),
    ...(quote === true && quotes !== "off" && { quote }),
    ...(reactions === "tell" && { reactions }),
  };
  if (live === undefined || where === "off") return can;
  return { ...can, live: { everyMs: live.everyMs, ...(where === "on" && { inGroups: true }) } };
}

/** Of secrets nothing can be read there. What is chosen and holds anyway is the same account. */
function accountOf({ account, schema }: Kind, settings: Readonly<Record<string, Json>>): string {
  const common = propertiesOf(schema);
  const fields = { ...fieldsIn(common["options"]), ...common };
  const own = account.map((name) => {
    const { [name]: value = null } = settings;
    const field = fields[name];
    return isRecord(field) && field["default"] === value ? null : value;
  });
  return sha256(JSON.stringify(own));
}

/** What the plugin is handed. @throws RuntimeError `config.invalid`, with each setting that is missing or wrong. */
export function settingsFor(
  id: string,
  { schema, title }: Pick<ChannelKind, "schema" | "title">,
  config: ChannelConfig,
): Readonly<Record<string, Json>> {
  const given = givenIn(config);
  const { options, ...common } = given;
  // A kind without options says nothing of them; one that has some is told of each that is missing.
  const hasNone = Object.keys(options).length === 0 && !Object.hasOwn(propertiesOf(schema), "options");
  const checked = check(hasNone ? common : given, schema);
  // What the quick check cannot decide the plugin decides itself.
  const faults = [...(checked instanceof Promise ? [] : checked), ...missingWith(options, schema)];
  if (faults.length > 0)
    throw new RuntimeError(
      "config.invalid",
      `channels.${id} (${title}): ${faults.join("; ")}. Set it below channels.${id}.`,
    );
  return handedIn(given);
}

/** The settings of its platform, as far as there are any. */
export function givenSettings(config: ChannelConfig): Readonly<Record<string, Json>> {
  return handedIn(givenIn(config));
}

function handedIn({ options, ...common }: ReturnType<typeof givenIn>): Readonly<Record<string, Json>> {
  return { ...options, ...common };
}

function givenIn({ token, secret, baseUrl, options = {} }: ChannelConfig) {
  return {
    ...(token !== undefined && { token }),
    ...(secret !== undefined && { secret }),
    ...(baseUrl !== undefined && { baseUrl }),
    options: { ...options },
  };
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isRecord(properties) ? (properties as JsonObject) : {}; // of JSON
}

function fieldsIn(options: Json | undefined): JsonObject {
  return isRecord(options) ? propertiesOf(options as JsonObject) : {}; // of JSON
}

/** A setting with `x-if` belongs to others, as `{"mode": "http"}`: it is needed when they are so. */
function missingWith(own: Readonly<Record<string, Json>>, schema: ChannelKind["schema"]): readonly string[] {
  const fields = fieldsIn(propertiesOf(schema)["options"]);
  const valueOf = (name: string): unknown => {
    const field = fields[name];
    return own[name] ?? (isRecord(field) ? field["default"] : undefined);
  };
  return Object.entries(fields).flatMap(([name, field]) => {
    const others = isRecord(field) && isRecord(field["x-if"]) ? Object.entries(field["x-if"]) : [];
    if (others.length === 0 || own[name] !== undefined || !others.every(([other, is]) => valueOf(other) === is))
      return [];
    return [`options.${name} is required with ${others.map(([other, is]) => `${other} ${String(is)}`).join(", ")}`];
  });
}
