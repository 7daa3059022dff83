/** When a chat may be greeted: computed from date and chat, so that no restart draws again. */
import type { Millis } from "../contract/base.ts";
import { fingerprint } from "../lib/hash.ts";
import type { ZonedTime } from "../lib/zoned-time.ts";
import { firstInstant } from "./wall-clock.ts";

/** Whole hours in which nobody is greeted; over midnight when `from` is the later one. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}
export interface Slot {
  /** `2026-11-21:09`: the slot's name in its day. */
  readonly name: string;
  readonly at: Millis;
}

/** `21-08`. */
export function parseQuietHours(text: string): QuietHours {
  const [from = 0, to = 0] = text.split("-").map(Number);
  return { from, to };
}

export function isQuiet(hour: number, { from, to }: QuietHours): boolean {
  return from <= to ? hour >= from && hour < to : hour >= from || hour < to;
}

/** When the quiet hours end that `at` lies in. Undefined: it lies in none. */
export function quietUntil(at: Millis, quiet: QuietHours, zone: (at: Millis) => ZonedTime): Millis | undefined {
  const { year, month, day, hour } = zone(at);
  if (!isQuiet(hour, quiet)) return undefined;
  const days = hour < quiet.to ? 0 : 1; // over midnight
  return firstInstant(Date.UTC(year, month - 1, day + days, quiet.to), zone);
}

/** One slot an hour, within half an hour of its middle and never on the hour itself, on the day that `at` lies in. */
export function slotsOf(at: Millis, chat: string, quiet: QuietHours, zone: (at: Millis) => ZonedTime): readonly Slot[] {
  const { year, month, day } = zone(at);
  const date = new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
  const slots: Slot[] = [];
  for (let hour = 0; hour < 24; hour++) {
    if (isQuiet(hour, quiet)) continue;
    const seed = Number.parseInt(fingerprint(`${date}\n${chat}\n${hour}`).slice(0, 8), 16);
    const wall = Date.UTC(year, month - 1, day, hour, 1 + (seed % 59));
    slots.push({ name: `${date}:${String(hour).padStart(2, "0")}`, at: firstInstant(wall, zone) });
  }
  return slots;
}
