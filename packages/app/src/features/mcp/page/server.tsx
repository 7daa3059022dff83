/** One server: what changed and waits, its tools with their cost, its log, its settings. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { McpLogSchema, McpServerView, McpToolsSchema, OAuthStart } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Table } from "../../../web/ui/table.tsx";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { short, timeOfDay } from "../../../web/panel-kit/format.ts";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { ServerForm } from "./form.tsx";
import { Review } from "./review.tsx";
import { UnconfinedNote } from "./unconfined.tsx";

export const TONES: Readonly<Record<McpServerView["state"], string>> = {
  off: "",
  connecting: "accent",
  up: "ok",
  failed: "danger",
  login: "warn",
  changed: "warn",
  unapproved: "warn",
};

type Tab = "tools" | "form" | "log";

export function Server({ name }: { readonly name: string }) {
  const path = `/mcp/servers/${encodeURIComponent(name)}`;
  const server = useResource<McpServerView>(path, "mcp");
  const [tab, setTab] = useState<Tab>("tools");
  return (
    <Loaded of={server}>
      {(data) => (
        <>
          <State server={data} path={path} reload={server.reload} />
          <Tabs
            label={name}
            chosen={tab}
            onChoose={setTab}
            tabs={[
              { id: "tools", title: t("toolList") },
              { id: "form", title: t("form") },
              { id: "log", title: t("log") },
            ]}
          >
            {tab === "tools" && <Tools path={path} />}
            {tab === "form" && <ServerForm server={data} reload={server.reload} />}
            {tab === "log" && <Log path={path} />}
          </Tabs>
        </>
      )}
    </Loaded>
  );
}

interface StateProps {
  readonly server: McpServerView;
  readonly path: string;
  readonly reload: () => Promise<void>;
}

function State({ server, path, reload }: StateProps) {
  const acting = useAct();
  const [signing, setSigning] = useState(false);
  const reconnect = async (): Promise<void> => {
    await api.post(`${path}/reconnect`);
    await reload();
  };
  const signIn = async (): Promise<void> => {
    const { body } = await api.post<z.infer<typeof OAuthStart>>(`${path}/oauth/start`);
    if (!/^https?:\/\//.test(body.url)) throw new Error(body.url);
    window.open(body.url, "_blank", "noopener,noreferrer");
    setSigning(true);
  };
  return (
    <section class="stack">
      <div class="p-row">
        <h3 class="grow">{server.name}</h3>
        <span class={`badge ${TONES[server.state]}`}>{t(`state_${server.state}`)}</span>
      </div>
      <UnconfinedNote server={server} />
      {server.error !== undefined && <p class="p-error p-prose">{server.error}</p>}
      <Review server={server} path={path} acting={acting} reload={reload} />
      {signing && server.state === "login" && (
        <div class="note-box" role="status">
          <span class="grow">{t("signInOpen")}</span>
          <Button size="small" onClick={() => setSigning(false)}>
            {c("cancel")}
          </Button>
        </div>
      )}
      <Outcome of={acting} />
      <div class="p-row">
        {server.state === "login" && !signing && (
          <Act acting={acting} work={signIn} kind="primary">
            {t("signIn")}
          </Act>
        )}
        {server.enabled && (
          <Act acting={acting} work={reconnect} icon="refresh">
            {t("reconnect")}
          </Act>
        )}
      </div>
    </section>
  );
}

function Tools({ path }: { readonly path: string }) {
  const tools = useResource<z.infer<typeof McpToolsSchema>>(`${path}/tools`, "mcp");
  return (
    <Loaded of={tools}>
      {(items) =>
        items.length === 0 ? (
          <Empty>{t("tools", { n: 0 })}</Empty>
        ) : (
          <div class="stack">
            <p class="muted">
              {t("sum", { n: items.reduce((sum, { enabled, tokens }) => sum + (enabled ? tokens : 0), 0) })}
            </p>
            <Table
              caption={t("toolList")}
              rows={items}
              rowKey={({ name }) => name}
              detail={(tool) => (
                <div class="stack">
                  <p class="p-prose">{tool.description}</p>
                  <pre class="p-code">{JSON.stringify(tool.schema, null, 2)}</pre>
                </div>
              )}
              columns={[
                { id: "name", title: c("name"), cell: ({ name }) => <code>{name}</code>, sort: ({ name }) => name },
                {
                  id: "effect",
                  title: t("effect"),
                  cell: ({ effect }) => t(`effect_${effect}`),
                  sort: ({ effect }) => effect,
                },
                {
                  id: "offered",
                  title: t("offered"),
                  cell: ({ enabled }) => c(enabled ? "yes" : "no"),
                  sort: ({ enabled }) => Number(enabled),
                },
                {
                  id: "tokens",
                  title: t("tokens"),
                  align: "end",
                  cell: ({ tokens }) => short(tokens),
                  sort: ({ tokens }) => tokens,
                },
              ]}
            />
          </div>
        )
      }
    </Loaded>
  );
}

function Log({ path }: { readonly path: string }) {
  const log = useResource<z.infer<typeof McpLogSchema>>(`${path}/log`, "mcp");
  return (
    <Loaded of={log}>
      {(lines) =>
        lines.length === 0 ? (
          <Empty>{t("noLog")}</Empty>
        ) : (
          <div class="p-log" role="region" tabIndex={0} aria-label={t("log")}>
            {lines.map((line, index) => (
              <div key={index} data-level={line.level}>
                <span>{timeOfDay(line.at, true)}</span>
                <span>{line.level}</span>
                <span>{line.text}</span>
              </div>
            ))}
          </div>
        )
      }
    </Loaded>
  );
}
