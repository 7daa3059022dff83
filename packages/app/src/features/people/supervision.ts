/** Persons whose conversations the owner reads without opening them, and which of them were told: nobody is read who was not. */
import type { Address, Logger } from "@margay/core";
import {
  type CommitObserver,
  changeDoc,
  createSerial,
  type Docs,
  isRecord,
  messageOf,
  type PeopleOptions,
  type PersonId,
  parsedDoc,
  parseJson,
  sessionKeyOf,
} from "@margay/core/internal";
import type { Config } from "../../config/config.ts";
import type { AppAudit } from "../../host/audit-events.ts";
import type { Translate } from "../../texts/translate.ts";

export interface SupervisionOptions {
  readonly docs: Docs;
  /** As it is now. */
  readonly config: () => Pick<Config, "people">;
  readonly contact: PeopleOptions["contact"];
  /** Called when somebody is told, when the agent exists. */
  readonly send: (session: string, to: Address, text: string) => Promise<void>;
  readonly audit: Pick<AppAudit, "record">;
  readonly t: Translate;
  readonly log: Pick<Logger, "error">;
}

export interface Supervision {
  /** It is configured, and they know. */
  readonly isOn: (person: PersonId) => boolean;
  /** Tells everybody whom the configuration concerns by now; who cannot be reached is told with their next message. */
  readonly follow: () => Promise<void>;
  readonly observer: CommitObserver;
}

const NAME = "supervised.json";

export function openSupervision({ docs, config, contact, send, audit, t, log }: SupervisionOptions): Supervision {
  const alone = createSerial();
  /** Unknown while it cannot be read: then nobody is read, and nobody is told. */
  const told = parsedDoc<ReadonlySet<PersonId> | "unknown">(docs, NAME, read, "unknown");
  const wanted = (person: PersonId): boolean => {
    const { people } = config();
    return Object.hasOwn(people, person) && people[person]?.supervised === true;
  };
  const knows = (person: PersonId): boolean | undefined => {
    const known = told();
    return known === "unknown" ? undefined : known.has(person);
  };
  const isSettled = (person: PersonId): boolean => (knows(person) ?? wanted(person)) === wanted(person);
  const tell = (person: PersonId, session: string, to: Address): Promise<void> =>
    alone(person, async () => {
      if (isSettled(person)) return;
      const on = wanted(person);
      await send(session, to, t(on ? "people.supervised.on" : "people.supervised.off"));
      await changeDoc(docs, NAME, (body) => {
        const others = [...read(body)].filter((one) => one !== person);
        const known = (on ? [...others, person] : others).toSorted();
        return [`${JSON.stringify({ version: 1, told: known })}\n`, undefined];
      });
      audit.record("person.supervised", { person, on });
    });
  const failed = (error: unknown): void => log.error("supervised.failed", { message: messageOf(error) });
  return {
    isOn: (person) => wanted(person) && knows(person) === true,
    follow: async () => {
      for (const person of Object.keys(config().people)) {
        if (isSettled(person)) continue;
        const to = await contact(person);
        if (to !== undefined) await tell(person, sessionKeyOf(to), to).catch(failed);
      }
    },
    observer: {
      // Whatever they do there, a command too: it begins with what they are told.
      observe: ({ key, audience, origin }, _commit, replayed) => {
        if (!replayed && audience !== undefined && !isSettled(audience)) void tell(audience, key, origin).catch(failed);
      },
      flush: () => Promise.resolve(),
      continues: { name: "supervision", keep: () => undefined, resume: () => true },
    },
  };
}

/** What cannot be read says that nobody was told: they are told again. */
function read(body: string | undefined): ReadonlySet<PersonId> {
  const value = parseJson(body ?? "");
  const list = isRecord(value) ? value["told"] : undefined;
  return new Set(Array.isArray(list) ? list.map(String) : []);
}
