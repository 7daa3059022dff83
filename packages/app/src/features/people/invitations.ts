/** Invitations: a code by which somebody who has no account here yet becomes a person. A day, once, five wrong tries. */
import type { Clock } from "@margay/core";
import { changeDoc, isRecord, parseJson, sha256, type Docs, type PersonId } from "@margay/core/internal";
import { newCode, TRIES } from "../../host/pairing.ts";

export interface Invitation {
  readonly person: PersonId;
  readonly expiresAt: number;
  /** `channel:id` of the first that sent the code: it is theirs from then on. */
  readonly usedBy?: string;
  /** They are the person, as far as the file says it. */
  readonly done?: true;
}

/** Other processes read and write them too: they are read anew for each question. */
export interface Invitations {
  /** The newest of a person holds: earlier ones are void. */
  make(person: PersonId): Promise<{ readonly code: string; readonly expiresAt: number }>;
  /** Whether a code is waited for. */
  isOpen(): boolean;
  find(code: string): Invitation | undefined;
  /** Before anything else is done: whoever is killed after it goes on as the same sender, and nobody else does. */
  use(code: string, who: string): Promise<boolean>;
  done(code: string): Promise<void>;
  /** @returns whether all that are open are void now. */
  wrong(): Promise<boolean>;
}

interface Kept extends Invitation {
  /** The code itself stands nowhere. */
  readonly digest: string;
}

interface Store {
  readonly invitations: readonly Kept[];
  readonly wrong: number;
}

const VALID_MS = 86_400_000;
const CLOCK_SLACK_MS = 60_000;
const NAME = "channels/invitations.json";

export function openInvitations(docs: Docs, clock: Pick<Clock, "now">): Invitations {
  const load = (): Store => read(docs.peek(NAME)?.body, clock.now());
  const changing = <Result>(change: (store: Store) => readonly [Store, Result]): Promise<Result> =>
    changeDoc(docs, NAME, (body) => {
      const [store, result] = change(read(body, clock.now()));
      return [`${JSON.stringify({ version: 1, ...store }, null, 2)}\n`, result];
    });
  const change = (code: string, more: Partial<Kept>): Promise<void> =>
    changing(({ invitations, ...store }) => [
      { ...store, invitations: invitations.map((one) => (isOf(code)(one) ? { ...one, ...more } : one)) },
      undefined,
    ]);
  return {
    make: (person) =>
      changing(({ invitations, wrong }) => {
        const code = newCode();
        const expiresAt = clock.now() + VALID_MS;
        const others = invitations.filter((one) => one.person !== person || one.done === true);
        const made = { digest: sha256(code), person, expiresAt };
        return [
          { invitations: [...others, made], wrong: others.some(isOpen) ? wrong : 0 },
          { code, expiresAt },
        ];
      }),
    isOpen: () => load().invitations.some(isOpen),
    find: (code) => load().invitations.find(isOf(code)),
    use: (code, who) =>
      changing((store) => {
        const found = store.invitations.find(isOf(code));
        const isTheirs = found !== undefined && found.done !== true && (found.usedBy ?? who) === who;
        const used = store.invitations.map((one) => (one === found ? { ...one, usedBy: who } : one));
        return [isTheirs ? { ...store, invitations: used } : store, isTheirs];
      }),
    done: (code) => change(code, { done: true }),
    wrong: () =>
      changing((store) => {
        const wrong = store.wrong + 1;
        const isOver = wrong >= TRIES;
        return isOver
          ? [{ invitations: store.invitations.filter((one) => !isOpen(one)), wrong: 0 }, true]
          : [{ ...store, wrong }, false];
      }),
  };
}

function isOf(code: string): (one: Kept) => boolean {
  const digest = sha256(code);
  return (one) => one.digest === digest;
}

function isOpen({ usedBy }: Invitation): boolean {
  return usedBy === undefined;
}

/** What is damaged invites nobody. */
function read(body: string | undefined, now: number): Store {
  const value = parseJson(body ?? "");
  const { invitations, wrong } = isRecord(value) ? value : {};
  return {
    invitations: Array.isArray(invitations)
      ? invitations.filter(
          (one): one is Kept =>
            isRecord(one) &&
            typeof one["digest"] === "string" &&
            typeof one["person"] === "string" &&
            typeof one["expiresAt"] === "number" &&
            one["expiresAt"] > now &&
            one["expiresAt"] <= now + VALID_MS + CLOCK_SLACK_MS, // else the clock was set back, and it is older than it looks
        )
      : [],
    wrong: typeof wrong === "number" ? wrong : 0,
  };
}
