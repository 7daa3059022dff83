/** Codes that work once and for a short time, kept in memory as digests only. */
import type { Clock } from "@margay/core";
import { digestOf, findByDigest, newCode, normalCode } from "./secrets.ts";

export type CodeKind = "login" | "confirm" | "setup";

export interface Codes {
  /** @param person whose login it opens; absent: the owner's. */
  mint(kind: CodeKind, person?: string): { readonly code: string; readonly expiresAt: number };
  /** Uses it up. `used` and `expired` are told apart only for codes that were real. */
  redeem(kind: CodeKind, typed: string): "ok" | OfPerson | "used" | "expired" | "wrong";
  /** Whether one of the kind still waits. */
  waits(kind: CodeKind): boolean;
}

/** Good, and it opens a login of somebody beside the owner. */
export interface OfPerson {
  readonly person: string;
}

const KINDS: Readonly<Record<CodeKind, { readonly characters: number; readonly ms: number; readonly tries: number }>> =
  {
    login: { characters: 26, ms: 5 * 60_000, tries: Infinity },
    confirm: { characters: 8, ms: 5 * 60_000, tries: 5 },
    setup: { characters: 26, ms: 30 * 60_000, tries: 5 },
  };
/** How long a code that was used or has expired is still recognized. */
const REMEMBERED_MS = 24 * 3_600_000;
const MAX_CODES = 1000;

interface Code {
  readonly kind: CodeKind;
  readonly digest: string;
  readonly expiresAt: number;
  readonly person: string | undefined;
  used: boolean;
  tries: number;
}

export function createCodes(clock: Clock): Codes {
  let codes: readonly Code[] = [];
  const live = ({ used, expiresAt, tries, kind }: Code): boolean =>
    !used && expiresAt > clock.now() && tries < KINDS[kind].tries;
  return {
    mint: (kind, person) => {
      const { characters, ms } = KINDS[kind];
      const code = newCode(characters);
      const expiresAt = clock.now() + ms;
      const kept = codes.filter((one) => clock.now() - one.expiresAt < REMEMBERED_MS).slice(1 - MAX_CODES);
      codes = [...kept, { kind, digest: digestOf(code), expiresAt, person, used: false, tries: 0 }];
      return { code, expiresAt };
    },
    redeem: (kind, typed) => {
      const mine = codes.filter((one) => one.kind === kind);
      const found = findByDigest(mine, digestOf(normalCode(typed)), ({ digest }) => [digest]);
      if (found === undefined) {
        for (const one of mine) one.tries += 1;
        return "wrong";
      }
      if (found.used) return "used";
      if (!live(found)) return "expired";
      found.used = true;
      return found.person === undefined ? "ok" : { person: found.person };
    },
    waits: (kind) => codes.some((one) => one.kind === kind && live(one)),
  };
}
