/** Edited settings as one draft: saved together, taken back together; conflicts are shown key by key. */
import { useMemo, useState } from "preact/hooks";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf } from "../../../web/panel-kit/api.ts";
import { isConflict, useDraft } from "../../../web/panel-kit/draft.ts";
import { patchOf, type Entry } from "./model.ts";

export interface Edits {
  /** Path → new value; `null` resets. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly faults: ReadonlyMap<string, string>;
  set(path: string, value: unknown): void;
  drop(path: string): void;
  readonly bar: {
    readonly count: number;
    readonly acting: ReturnType<typeof useAct>;
    readonly said: string | undefined;
    readonly elsewhere: boolean;
    save(): Promise<void>;
    discard(): void;
  };
}

interface Change {
  readonly applied: readonly string[];
  readonly restart: readonly string[];
  readonly warnings: readonly string[];
}

const NOTHING: Readonly<Record<string, unknown>> = {};

export function useEdits(entries: readonly Entry[], hash: string | undefined, reload: () => Promise<void>): Edits {
  const draft = useDraft<Readonly<Record<string, unknown>>>("settings", NOTHING, hash);
  const acting = useAct();
  const [said, setSaid] = useState<string | undefined>(undefined);
  const faults = useMemo(() => {
    const byPointer = faultsOf(acting.problem);
    return new Map(
      entries.flatMap(({ path, names }) => {
        const fault = byPointer.get(`/${names.join("/")}`) ?? byPointer.get(path);
        return fault === undefined ? [] : [[path, fault]];
      }),
    );
  }, [acting.problem, entries]);

  const save = async (): Promise<void> => {
    const edited = new Map(
      entries.flatMap((entry) => (Object.hasOwn(draft.value, entry.path) ? [[entry, draft.value[entry.path]]] : [])),
    );
    const done = await api.patch<Change>("/settings", patchOf(edited), hash === undefined ? {} : { ifMatch: hash });
    const { restart, warnings } = done.body;
    const first =
      restart.length === 0 ? t("savedNow") : t("savedRestart", { n: restart.length, list: restart.join(", ") });
    setSaid([first, ...warnings].join(" "));
    draft.discard();
    await reload();
  };

  return {
    values: draft.value,
    faults,
    set: (path, value) => {
      setSaid(undefined);
      draft.change({ ...draft.value, [path]: value });
    },
    drop: (path) => {
      const { [path]: _dropped, ...rest } = draft.value;
      draft.change(rest);
    },
    bar: {
      count: Object.keys(draft.value).length,
      acting,
      said,
      elsewhere: draft.state === "elsewhere" || isConflict(acting.problem),
      save,
      discard: () => {
        acting.clear();
        draft.discard();
      },
    },
  };
}

/** At the foot of the page while something is edited. */
export function SaveBar({ edits: { bar } }: { readonly edits: Edits }) {
  if (bar.count === 0)
    return bar.said === undefined ? null : (
      <p class="note-box" role="status">
        {bar.said}
      </p>
    );
  return (
    <div class="p-savebar" role="region" aria-label={c("unsaved")}>
      <Outcome of={bar.acting} />
      {bar.elsewhere && <p class="p-warn">{c("elsewhereWhy")}</p>}
      <div class="p-row">
        <span class="grow">{t("changes", { n: bar.count })}</span>
        <Button onClick={bar.discard}>{c("discard")}</Button>
        <Act acting={bar.acting} work={bar.save} kind="primary">
          {bar.acting.busy ? c("saving") : c("save")}
        </Act>
      </div>
    </div>
  );
}
