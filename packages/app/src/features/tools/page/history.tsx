/** Every call that was made, with filters; a row opens into arguments and result. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { CallPage, ToolList, WholeCall } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "../../../web/texts/panels-work.ts";
import { Select } from "../../../web/ui/field.tsx";
import { SearchField } from "../../../web/ui/search-field.tsx";
import { Table } from "../../../web/ui/table.tsx";
import { dateTime, duration } from "../../../web/panel-kit/format.ts";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { More } from "../../../web/panel-kit/more.tsx";
import { usePages } from "../../../web/panel-kit/pages.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { useSettled } from "../../../web/panel-kit/time.ts";

type Call = z.infer<typeof CallPage>["items"][number];
type Whole = z.infer<typeof WholeCall>;

const STATES = ["running", "ok", "error", "denied", "interrupted", "not-run"] as const;
const TONES: Readonly<Record<Call["status"], string>> = {
  proposed: "",
  asked: "warn",
  allowed: "",
  running: "accent",
  ok: "ok",
  error: "danger",
  denied: "warn",
  interrupted: "warn",
  "not-run": "",
};

export function CallHistory() {
  const tools = useResource<z.infer<typeof ToolList>>("/tools");
  const [tool, setTool] = useState("");
  const [status, setStatus] = useState("");
  const [text, setText] = useState("");
  const q = useSettled(text.trim(), 250);
  const query = new URLSearchParams({
    ...(tool !== "" && { tool }),
    ...(status !== "" && { status }),
    ...(q !== "" && { q }),
  });
  const calls = usePages<Call>(`/tools/calls?${query}`);
  return (
    <div class="stack">
      <div class="p-row p-bottom">
        <SearchField class="grow" label={t("searchCalls")} value={text} onValue={setText} />
        <Select
          label={c("tool")}
          value={tool}
          onValue={setTool}
          options={[
            { value: "", label: t("anyTool") },
            ...(tools.data?.items ?? []).map(({ name }) => ({ value: name, label: name })),
          ]}
        />
        <Select
          label={c("state")}
          value={status}
          onValue={setStatus}
          options={[
            { value: "", label: t("anyState") },
            ...STATES.map((value) => ({ value, label: t(`status_${value}`) })),
          ]}
        />
      </div>
      <More of={calls} empty={<Empty>{t("noCalls")}</Empty>}>
        {(items) => (
          <Table
            caption={t("history")}
            rows={items}
            rowKey={({ session, call }) => `${session} ${call}`}
            detail={(call) => <CallDetail call={call} />}
            columns={[
              { id: "at", title: c("when"), cell: ({ at }) => dateTime(at), sort: ({ at }) => at },
              { id: "tool", title: c("tool"), cell: ({ name }) => <code>{name}</code>, sort: ({ name }) => name },
              {
                id: "state",
                title: c("state"),
                cell: (call) => <span class={`badge ${TONES[call.status]}`}>{t(`status_${call.status}`)}</span>,
                sort: (call) => call.status,
              },
              { id: "call", title: t("call"), cell: ({ preview }) => <span class="p-clip p-mono">{preview}</span> },
              {
                id: "took",
                title: t("took"),
                align: "end",
                cell: ({ ms }) => (ms === undefined ? "" : duration(ms)),
                sort: ({ ms }) => ms,
              },
              {
                id: "chat",
                title: t("asked"),
                cell: ({ session, userMessage, key }) => (
                  <ChatLink session={session}>{userMessage === "" ? key : userMessage.slice(0, 60)}</ChatLink>
                ),
              },
            ]}
          />
        )}
      </More>
    </div>
  );
}

function CallDetail({ call }: { readonly call: Call }) {
  const whole = useResource<Whole>(`/tools/calls/${call.session}/${encodeURIComponent(call.call)}`);
  return (
    <Loaded of={whole}>
      {(data) => (
        <div class="stack">
          <section>
            <strong>{t("arguments")}</strong>
            <pre class="p-code">{JSON.stringify(data.input, null, 2)}</pre>
          </section>
          {data.result !== undefined && (
            <section>
              <strong>{t("output")}</strong>
              <pre class="p-code">{resultText(data.result)}</pre>
            </section>
          )}
          {data.attempts > 1 && (
            <p>
              {t("attempts")}: {data.attempts}
            </p>
          )}
        </div>
      )}
    </Loaded>
  );
}

function resultText(result: NonNullable<Whole["result"]>): string {
  if (!("cut" in result))
    return result.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
  return `${result.head}\n⋯\n${result.tail}`;
}
