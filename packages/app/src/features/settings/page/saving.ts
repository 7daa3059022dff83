/** Settings are written one by one, as they are changed; each change can be taken back for ten seconds. */
import { useMemo, useRef } from "preact/hooks";
import { api, faultsOf, isProblem, toProblem } from "../../../web/panel-kit/api.ts";
import { undoable, toast } from "../../../web/ui/toast.tsx";
import { patchOf, readEntries, type Entry, type Settings } from "./model.ts";
import { t, valueWord } from "./texts.ts";

export interface Saving {
  /** Every setting as the gateway has it now. */
  readonly entries: readonly Entry[];
  /** @returns what is wrong with the value, as the gateway says it; undefined: nothing. */
  check(entry: Entry, value: unknown): Promise<string | undefined>;
  /**
   * @param value `null` for the default.
   * @returns why it was not saved; undefined: it is.
   */
  save(entry: Entry, value: unknown): Promise<string | undefined>;
}

interface Change {
  readonly restart: readonly string[];
  readonly warnings: readonly string[];
  readonly hash: string;
}

export function useSaving(settings: Settings, reload: () => Promise<void>): Saving {
  const entries = useMemo(() => readEntries(settings, valueWord), [settings]);
  const latest = useRef({ settings, reload });
  latest.current = { settings, reload };
  return useMemo(() => {
    const save: Saving["save"] = async (entry, value) => {
      try {
        const { body } = await write(entry, value, latest.current.settings);
        await latest.current.reload();
        tell(entry, body, async () => {
          const now = readEntries(latest.current.settings, valueWord).find(({ path }) => path === entry.path) ?? entry;
          const fault = await save(now, entry.source === "file" ? entry.value : null);
          if (fault !== undefined) toast(fault);
        });
        return undefined;
      } catch (error) {
        return faultOf(error, entry);
      }
    };
    return {
      entries,
      save,
      check: async (entry, value) => {
        try {
          await api.patch("/settings", patchOf(new Map([[entry, value]])), { query: { dryRun: true } });
          return undefined;
        } catch (error) {
          const problem = toProblem(error);
          return isProblem(problem, "settings.invalid") ? faultOf(error, entry) : undefined; // saving says the rest
        }
      },
    };
  }, [entries]);
}

/** Once more where only something else was changed meanwhile. */
async function write(entry: Entry, value: unknown, { hash }: Settings): Promise<{ readonly body: Change }> {
  const patch = patchOf(new Map([[entry, value]]));
  try {
    return await api.patch<Change>("/settings", patch, { ifMatch: `"${hash}"` });
  } catch (error) {
    if (!isProblem(toProblem(error), "precondition.failed")) throw error;
    const { body } = await api.get<Settings>("/settings");
    const now = readEntries(body, valueWord).find(({ path }) => path === entry.path);
    if (JSON.stringify(now?.value) !== JSON.stringify(entry.value)) throw error;
    return await api.patch<Change>("/settings", patch, { ifMatch: `"${body.hash}"` });
  }
}

/** What is secret cannot be taken back: this page never had what was there before. */
function tell(entry: Entry, { restart, warnings }: Change, undo: () => Promise<void>): void {
  const saved = t(restart.length === 0 ? "savedOne" : "savedOneRestart", { name: entry.title });
  const text = [saved, ...warnings].join(" ");
  if (entry.secret) toast(text);
  else undoable(text, () => void undo());
}

function faultOf(error: unknown, entry: Entry): string {
  const problem = toProblem(error);
  const pointer = `/${entry.names.join("/")}`;
  const own = [...faultsOf(problem)].find(([path]) => path === pointer || path.startsWith(`${pointer}/`))?.[1];
  return own ?? problem.detail ?? problem.title;
}
