/** The builder of one job. Every change is checked by the gateway, which knows the next times. */
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { may } from "../../../web/auth.ts";
import { openPanel } from "../../../web/lib/route.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Check, Field, TextArea, TextField } from "../../../web/ui/field.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { AgentField } from "../../../web/models/agent-field.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf, toProblem, type Problem } from "../../../web/panel-kit/api.ts";
import { type Draft, useDraft } from "../../../web/panel-kit/draft.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { ProblemNote } from "../../../web/panel-kit/problem-note.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { nowMs, useSettled } from "../../../web/panel-kit/time.ts";
import { Preview } from "./preview.tsx";
import { Target, type Address } from "./target.tsx";
import { newTrigger, readTrigger, triggerBody, type TriggerDraft } from "./trigger.ts";
import type { Job, JobInput, Validation } from "./types.ts";
import { When } from "./when.tsx";

interface JobDraft {
  readonly name: string;
  readonly mode: "agent" | "deliver";
  readonly message: string;
  /** Empty: what the bindings of the chat say. */
  readonly agent: string;
  readonly target: Address | undefined;
  readonly misfire: "skip" | "latest_once" | "all";
  readonly silent: boolean;
  readonly enabled: boolean;
  readonly trigger: TriggerDraft;
}

export function Builder({ id }: { readonly id: string | undefined }) {
  const job = useResource<Job>(id === undefined ? undefined : `/cron/jobs/${encodeURIComponent(id)}`);
  if (id === undefined) return <Form job={undefined} />;
  return <Loaded of={job}>{(data) => <Form key={data.id} job={data} />}</Loaded>;
}

const MISFIRES = ["skip", "latest_once", "all"] as const;
const MISFIRE_WHY = { skip: "misfireWhy_skip", latest_once: "misfireWhy_latest_once", all: "misfireWhy_all" } as const;
const MISFIRE = { skip: "misfire_skip", latest_once: "misfire_latest_once", all: "misfire_all" } as const;

function Form({ job }: { readonly job: Job | undefined }) {
  const saved = useMemo(() => readJob(job), [job]);
  const draft = useDraft<JobDraft>(`cron/${job?.id ?? "new"}`, saved, job?.hash);
  const { value } = draft;
  const acting = useAct();
  const expression = useRef<HTMLInputElement>(null);
  const checked = useValidation(value.trigger);
  const faults = faultsOf(acting.problem);
  const edit = (change: Partial<JobDraft>): void => draft.change({ ...value, ...change });

  const { save, tryOnce, missing } = useStore({ job, draft, checked, expression });
  return (
    <div class="stack p-narrow">
      <p>
        <PanelLink to="cron">‹ {t("toList")}</PanelLink>
      </p>
      <h3>{job === undefined ? t("newTitle") : t("editTitle")}</h3>
      <TextField
        label={t("name")}
        hint={t("nameWhy")}
        value={value.name}
        onValue={(name) => edit({ name })}
        maxLength={200}
      />
      <Mode value={value.mode} onChange={(mode) => edit({ mode })} />
      <TextArea
        label={t(value.mode === "agent" ? "message" : "text")}
        value={value.message}
        onValue={(message) => edit({ message })}
        fault={faults.get("/message")}
      />
      <When
        value={value.trigger}
        onChange={(change) => edit({ trigger: { ...value.trigger, ...change } })}
        fault={checked.fault}
        expressionField={expression}
      />
      {checked.problem === undefined ? (
        <Preview validation={checked.validation} zone={value.trigger.zone} />
      ) : (
        <ProblemNote problem={checked.problem} />
      )}
      <Target
        value={value.target}
        onChange={(target) => edit({ target })}
        fault={missing && value.target === undefined ? t("targetMissing") : faults.get("/target")}
      />
      {value.mode === "agent" && may("listAgents") && (
        <AgentField
          label={t("agent")}
          hint={t("agentWhy")}
          bound={t("agentBound")}
          main={t("agentMain")}
          value={value.agent}
          onValue={(agent) => edit({ agent })}
          fault={faults.get("/agent")}
        />
      )}
      <Misfire value={value.misfire} onChange={(misfire) => edit({ misfire })} />
      <Check label={t("silent")} checked={value.silent} onChecked={(silent) => edit({ silent })} />
      <Check label={t("enabled")} checked={value.enabled} onChecked={(enabled) => edit({ enabled })} />
      {draft.state === "elsewhere" && <p class="note-box warn">{c("elsewhereWhy")}</p>}
      <Outcome of={acting} />
      <div class="p-row">
        <Act acting={acting} work={save} kind="primary" disabled={value.message.trim() === ""}>
          {c("save")}
        </Act>
        <Act acting={acting} work={tryOnce} icon="play" disabled={value.message.trim() === ""}>
          {t("tryOnce")}
        </Act>
        {draft.state !== "saved" && <Button onClick={draft.discard}>{c("discard")}</Button>}
      </div>
      <p class="p-help">{t("tryOnceWhy")}</p>
    </div>
  );
}

interface ModeProps {
  readonly value: JobDraft["mode"];
  readonly onChange: (value: JobDraft["mode"]) => void;
}

function Mode({ value, onChange }: ModeProps) {
  return (
    <fieldset class="p-field p-group p-choices">
      <legend>{t("mode")}</legend>
      {(["agent", "deliver"] as const).map((mode) => (
        <label key={mode} class="check">
          <input type="radio" name="mode" checked={value === mode} onChange={() => onChange(mode)} />
          <span>{t(mode === "agent" ? "modeAgent" : "modeDeliver")}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface StoreProps {
  readonly job: Job | undefined;
  readonly draft: Draft<JobDraft>;
  readonly checked: Checked;
  readonly expression: RefObject<HTMLInputElement | null>;
}

interface Store {
  readonly save: () => Promise<void>;
  /** Kept first, paused when it is new, then run. */
  readonly tryOnce: () => Promise<void>;
  /** It was to be stored without a target. */
  readonly missing: boolean;
}

function useStore({ job, draft, checked, expression }: StoreProps): Store {
  const { value } = draft;
  const [missing, setMissing] = useState(false);
  const store = async (change: Partial<JobInput>): Promise<Job> => {
    if (value.target === undefined) throw new Error(t("targetMissing"));
    const input = { ...bodyOf(value, value.target), ...change };
    const answer =
      job === undefined
        ? await api.post<Job>("/cron/jobs", input)
        : await api.put<Job>(`/cron/jobs/${encodeURIComponent(job.id)}`, input, {
            ifMatch: `"${draft.state === "elsewhere" ? job.hash : (draft.hash ?? job.hash)}"`,
          });
    draft.discard();
    return answer.body;
  };
  const fine = (): boolean => {
    setMissing(value.target === undefined);
    const fault = checked.validation?.ok === false ? checked.validation.errors[0] : undefined;
    if (fault !== undefined && expression.current !== null) {
      expression.current.focus();
      const at = fault.position ?? expression.current.value.length;
      expression.current.setSelectionRange(at, at);
    }
    return value.target !== undefined && fault === undefined;
  };
  const save = async (): Promise<void> => {
    if (!fine()) return;
    await store({});
    toast(t("saved"));
    openPanel("cron");
  };
  const tryOnce = async (): Promise<void> => {
    if (!fine()) return;
    const kept = await store(job === undefined ? { enabled: false } : {});
    await api.post(`/cron/jobs/${encodeURIComponent(kept.id)}/run`);
    toast(t("started"));
    openPanel(job === undefined ? `cron/${kept.id}` : "cron");
  };
  return { save, tryOnce, missing };
}

function bodyOf({ name, trigger, agent, ...value }: JobDraft, target: Address): JobInput {
  return {
    ...value,
    ...(name.trim() !== "" && { name: name.trim() }),
    trigger: triggerBody(trigger),
    agent: value.mode === "agent" ? agent : "",
    target,
  };
}

interface MisfireProps {
  readonly value: JobDraft["misfire"];
  readonly onChange: (value: JobDraft["misfire"]) => void;
}

/** What becomes of runs that nobody was there for. */
function Misfire({ value, onChange }: MisfireProps) {
  return (
    <Field label={t("misfire")} hint={t(MISFIRE_WHY[value])}>
      {(control) => (
        <select
          {...control}
          class="select"
          value={value}
          onChange={(event) => onChange(MISFIRES.find((one) => one === event.currentTarget.value) ?? "skip")}
        >
          {MISFIRES.map((one) => (
            <option key={one} value={one}>
              {t(MISFIRE[one])}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface Checked {
  readonly validation: Validation | undefined;
  /** What is wrong with the trigger, with its place. */
  readonly fault: string | undefined;
  readonly problem: Problem | undefined;
}

/** Asks 150 ms after the last change. */
function useValidation(trigger: TriggerDraft): Checked {
  const body = JSON.stringify({ trigger: triggerBody(trigger) });
  const settled = useSettled(body, 150);
  const [held, setHeld] = useState<{
    readonly body: string;
    readonly validation?: Validation;
    readonly problem?: Problem;
  }>({ body: "" });
  useEffect(() => {
    const controller = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const answer = await api.post<Validation>("/cron/validate", JSON.parse(settled), { signal: controller.signal });
        setHeld({ body: settled, validation: answer.body });
      } catch (error) {
        if (!controller.signal.aborted) setHeld({ body: settled, problem: toProblem(error) });
      }
    };
    void ask();
    return () => controller.abort();
  }, [settled]);
  const current = held.body === body ? held : { body };
  const validation = "validation" in current ? current.validation : undefined;
  const problem = "problem" in current ? current.problem : undefined;
  const first = validation?.ok === false ? validation.errors[0] : problem?.errors?.[0];
  const position = first !== undefined && "position" in first ? first.position : undefined;
  return {
    validation,
    fault:
      first === undefined
        ? undefined
        : position === undefined
          ? first.message
          : `${first.message} (${t("at", { n: position + 1 })})`,
    problem: first === undefined ? problem : undefined,
  };
}

function readJob(job: Job | undefined): JobDraft {
  const now = nowMs();
  if (job === undefined)
    return {
      name: "",
      mode: "agent",
      message: "",
      agent: "",
      target: undefined,
      misfire: "latest_once",
      silent: false,
      enabled: true,
      trigger: newTrigger(now),
    };
  const { name = "", mode, message, agent = "", target, misfire, silent, enabled, trigger } = job;
  return { name, mode, message, agent, target, misfire, silent, enabled, trigger: readTrigger(trigger, now) };
}
