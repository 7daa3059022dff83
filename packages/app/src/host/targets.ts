/** Where what nobody asked for goes, by the settings: is there anybody who would get it? */
import { type Address, type SessionStore } from "@margay/core";
import { sessionKeyOf, type ScheduleTarget } from "@margay/core/internal";
import { addressOf, isOurs, targetFault } from "./target.ts";
import type { Config } from "../config/config.ts";
import type { Translate } from "../texts/translate.ts";

export interface FaultyTarget {
  /** The key of the configuration. */
  readonly path: string;
  readonly value: string;
  readonly text: string;
  /** The webhook whose `deliver` it is. */
  readonly hook?: string;
}

/** All settings that name a chat which nothing can be sent to. */
export function faultyTargets(config: Config, t: Translate, home: string): readonly FaultyTarget[] {
  return targetsIn(config).flatMap((target) => {
    const to = addressOf(target.value);
    const text = target.hook === undefined ? addressFault(to, config, t, home) : chatFault(to, config, t, home);
    return text === undefined ? [] : [{ ...target, text }];
  });
}

/** Those that a change would bring: what was there before is told elsewhere, and keeps nobody from changing something else. */
export function newFaultyTargets(before: Config, after: Config, t: Translate, home: string): readonly FaultyTarget[] {
  const known = targetsIn(before);
  return faultyTargets(after, t, home).filter(
    ({ path, value }) => !known.some((target) => target.path === path && target.value === value),
  );
}

/** Of a webhook that names chats: none of them can be reached. */
export function reachesNobody(deliver: readonly string[], config: Config, t: Translate, home: string): boolean {
  return deliver.length > 0 && deliver.every((chat) => chatFault(addressOf(chat), config, t, home) !== undefined);
}

/** Of results of jobs and webhooks, which may also stay here. */
export function chatFault(to: Address, { channelsById }: Config, t: Translate, home: string): string | undefined {
  return targetFault(to, channelsById, t, home);
}

function targetsIn({ heartbeat, greeting, gateway }: Config): readonly Omit<FaultyTarget, "text">[] {
  return [
    ...Object.entries({ heartbeat, greeting }).flatMap(([name, { target }]) =>
      isAddress(target) ? [{ path: `${name}.target`, value: target }] : [],
    ),
    ...Object.entries(gateway.hooks).flatMap(([name, { deliver }]) =>
      deliver.map((value) => ({ path: `gateway.hooks.${name}.deliver`, value, hook: name })),
    ),
  ];
}

/** Where it goes now. */
export async function resolveTarget(
  target: string | null,
  { config, lastActive, sessions, t, home }: ResolveOptions,
): Promise<ScheduleTarget> {
  if (target === "web") return {};
  if (!isAddress(target)) {
    const last = await lastActive();
    return last === undefined || chatFault(last, config, t, home) !== undefined ? {} : { to: last };
  }
  const to = addressOf(target);
  const fault = addressFault(to, config, t, home) ?? (await sharedFault(target, sessions, t));
  return fault === undefined ? { to } : { fault };
}

export interface ResolveOptions {
  readonly config: Config;
  /** The private chat in which the person wrote last. */
  readonly lastActive: () => Promise<Address | undefined>;
  readonly sessions: Pick<SessionStore, "find">;
  readonly t: Translate;
  readonly home: string;
}

/** Where somebody else reads nothing is told that nobody asked for. */
export async function sharedFault(
  target: string,
  sessions: Pick<SessionStore, "find">,
  t: Translate,
): Promise<string | undefined> {
  if (!isAddress(target)) return undefined;
  const session = await sessions.find(sessionKeyOf(addressOf(target)));
  return session?.state.audience !== undefined ? t("target.shared", { chat: target }) : undefined;
}

function isAddress(target: string | null): target is string {
  return target !== null && target !== "last" && target !== "web";
}

function addressFault(to: Address, config: Config, t: Translate, home: string): string | undefined {
  return isOurs(to.channel) ? t("target.ours", { channel: to.channel }) : chatFault(to, config, t, home);
}
