/** Webhooks: where each is reached, how it is signed, a test delivery, what came in. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { DeliveriesSchema, HookView } from "../schema.ts";
import type { TestResult } from "../../../protocol/test-result.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Table } from "../../../web/ui/table.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { ConfirmButton } from "../../../web/panel-kit/confirm.tsx";
import { Copy } from "../../../web/panel-kit/copy.tsx";
import { bytes, dateTime, relative } from "../../../web/panel-kit/format.ts";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { More } from "../../../web/panel-kit/more.tsx";
import { usePages } from "../../../web/panel-kit/pages.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { TestSteps } from "../../../web/panel-kit/test-steps.tsx";
import { HookForm } from "./form.tsx";

type Delivery = z.infer<typeof DeliveriesSchema>["items"][number];

const TONES = { accepted: "ok", duplicate: "", ignored: "", refused: "danger" } as const;

export function Hooks() {
  const hooks = useResource<readonly HookView[]>("/hooks", "system");
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  return (
    <div class="stack">
      <div>
        <Button icon="plus" aria-expanded={adding} onClick={() => setAdding(!adding)}>
          {t("new")}
        </Button>
      </div>
      {adding && (
        <HookForm
          done={async (generated) => {
            setSecret(generated);
            setAdding(false);
            await hooks.reload();
          }}
        />
      )}
      {secret !== undefined && (
        <div class="note-box" role="status">
          <div class="stack grow">
            <strong>{t("secretOnce")}</strong>
            <Copy text={secret} />
          </div>
          <Button size="small" kind="quiet" icon="close" label={c("close")} onClick={() => setSecret(undefined)} />
        </div>
      )}
      <Loaded of={hooks}>
        {(items) =>
          items.length === 0 ? (
            <Empty>{t("none")}</Empty>
          ) : (
            <ul class="p-cards">
              {items.map((hook) => (
                <HookCard key={hook.name} hook={hook} reload={hooks.reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}

function HookCard({ hook, reload }: { readonly hook: HookView; readonly reload: () => Promise<void> }) {
  const acting = useAct();
  const [open, setOpen] = useState(false);
  const [result, setResult] = useState<TestResult | undefined>(undefined);
  const path = `/hooks/${encodeURIComponent(hook.name)}`;
  const test = async (): Promise<void> => {
    setResult((await api.post<TestResult>(`${path}/test`, {})).body);
  };
  const remove = (): void =>
    void acting.run(async () => {
      await api.delete(path, { ifMatch: `"${hook.hash}"` });
      await reload();
    });
  return (
    <li class="p-card" data-hook={hook.name}>
      <div class="p-row">
        <strong class="grow">{hook.name}</strong>
        {hook.last !== undefined && (
          <span class="p-faint">{t("last", { when: relative(hook.last.at), status: hook.last.status })}</span>
        )}
      </div>
      <Copy text={`${location.origin}${hook.path}`} />
      <p class="p-facts-line">
        <span>
          {t("scheme")}: {typeof hook.scheme === "string" ? hook.scheme : hook.scheme.header}
        </span>
        <span>
          {t("session")}: {hook.session}
        </span>
        {hook.agent !== undefined && <span>{t("ofAgent", { name: hook.agent })}</span>}
      </p>
      <blockquote class="p-quote p-clip">{hook.prompt}</blockquote>
      <Outcome of={acting} />
      {result !== undefined && <TestSteps result={result} good={t("testOk")} bad={t("testBad")} />}
      <div class="p-row">
        <Act acting={acting} work={test} size="small">
          {t("test")}
        </Act>
        <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t("deliveries")}
        </Button>
        <span class="grow" />
        <ConfirmButton
          size="small"
          kind="quiet"
          icon="trash"
          verb={c("remove")}
          text={t("removeAsk", { name: hook.name })}
          go={remove}
        />
      </div>
      {open && <Deliveries path={`${path}/deliveries`} />}
    </li>
  );
}

function Deliveries({ path }: { readonly path: string }) {
  const deliveries = usePages<Delivery>(path);
  return (
    <More of={deliveries} empty={<p class="muted">{t("noDeliveries")}</p>}>
      {(items) => (
        <Table
          caption={t("deliveries")}
          rows={items}
          rowKey={({ at, id }) => `${at} ${id ?? ""}`}
          columns={[
            { id: "at", title: c("when"), cell: ({ at }) => dateTime(at), sort: ({ at }) => at },
            {
              id: "status",
              title: c("result"),
              cell: ({ status, reason }) => (
                <>
                  <span class={`badge ${TONES[status]}`}>{t(`status_${status}`)}</span> {reason}
                </>
              ),
            },
            { id: "size", title: t("size"), align: "end", cell: (one) => bytes(one.bytes) },
            {
              id: "chat",
              title: c("chat"),
              cell: ({ session }) => session !== undefined && <ChatLink session={session}>{c("open")}</ChatLink>,
            },
          ]}
        />
      )}
    </More>
  );
}
