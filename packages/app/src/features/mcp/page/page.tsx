/** MCP servers: their state, what changed, one of them open, a new one, JSON in and out. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { McpExport, McpServerView } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { copyText } from "../../../web/lib/clipboard.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Icon } from "../../../web/ui/icon.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import type { PanelProps } from "../../../web/panel-kit/panel.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { Import } from "./import.tsx";
import { Server, TONES } from "./server.tsx";
import { ServerForm } from "./form.tsx";
import { UnconfinedBadge } from "./unconfined.tsx";

export function McpPage({ rest }: PanelProps) {
  if (rest === undefined) return <Overview />;
  return (
    <div class="stack">
      <p>
        <PanelLink to="mcp">‹ {t("toList")}</PanelLink>
      </p>
      {rest === "~new" ? <ServerForm server={undefined} /> : <Server key={rest} name={rest} />}
    </div>
  );
}

function Overview() {
  const servers = useResource<readonly McpServerView[]>("/mcp/servers", "mcp");
  const acting = useAct();
  const [importing, setImporting] = useState(false);
  const copy = async (): Promise<void> => {
    const { body } = await api.get<z.infer<typeof McpExport>>("/mcp/export");
    if (await copyText(JSON.stringify(body, null, 2))) toast(c("copied"));
  };
  return (
    <div class="stack">
      <div class="p-row">
        <PanelLink to="mcp/~new" class="button primary">
          <Icon name="plus" />
          {t("add")}
        </PanelLink>
        <Button aria-expanded={importing} onClick={() => setImporting(!importing)}>
          {t("import")}
        </Button>
        {servers.data !== undefined && servers.data.length > 0 && (
          <Act acting={acting} work={copy} icon="copy">
            {t("export")}
          </Act>
        )}
      </div>
      <Outcome of={acting} />
      {importing && (
        <Import
          done={() => {
            setImporting(false);
            void servers.reload();
          }}
        />
      )}
      <Loaded of={servers}>
        {(items) =>
          items.length === 0 ? (
            <Empty>{t("none")}</Empty>
          ) : (
            <ul class="p-cards">
              {items.map((server) => (
                <li key={server.name} class="p-card" data-server={server.name}>
                  <div class="p-row">
                    <PanelLink to={`mcp/${server.name}`} class="p-title grow">
                      {server.name}
                    </PanelLink>
                    <UnconfinedBadge server={server} />
                    <span class={`badge ${TONES[server.state]}`}>{t(`state_${server.state}`)}</span>
                  </div>
                  <p class="p-facts-line">
                    <span>{t("tools", { n: server.tools })}</span>
                    <code>{server.url ?? [server.command, ...(server.args ?? [])].join(" ")}</code>
                  </p>
                  {server.error !== undefined && <p class="p-error">{server.error}</p>}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}
