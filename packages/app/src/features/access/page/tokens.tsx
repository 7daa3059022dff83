/** Tokens of programs: made, shown once, rotated, revoked. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { NewTokenResponse, TokensResponse } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "../../../web/texts/panels-safety.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Check, Select, TextField } from "../../../web/ui/field.tsx";
import { Table } from "../../../web/ui/table.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { useConfirm } from "../../../web/panel-kit/confirm.tsx";
import { Copy } from "../../../web/panel-kit/copy.tsx";
import { dateTime, money } from "../../../web/panel-kit/format.ts";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { nowMs } from "../../../web/panel-kit/time.ts";

const SCOPES = ["chat", "read", "admin", "owner", "metrics"] as const;
type Scope = (typeof SCOPES)[number];
const WORDS = {
  chat: "scope_chat",
  read: "scope_read",
  admin: "scope_admin",
  owner: "scope_owner",
  metrics: "scope_metrics",
} as const;
const DAYS = [0, 7, 30, 90, 365];

type Token = z.infer<typeof TokensResponse>["items"][number];

export function Tokens() {
  const tokens = useResource<z.infer<typeof TokensResponse>>("/auth/tokens");
  const acting = useAct();
  const confirm = useConfirm();
  const [shown, setShown] = useState<string | undefined>(undefined);
  const [adding, setAdding] = useState(false);
  const act = (work: () => Promise<unknown>): void =>
    void acting.run(async () => {
      await work();
      await tokens.reload();
    });
  const rotate = (id: string): void =>
    act(async () =>
      setShown(
        (await api.post<{ readonly token: string }>(`/auth/tokens/${encodeURIComponent(id)}/rotate`, {})).body.token,
      ),
    );
  const revoke = (id: string): void => act(() => api.delete(`/auth/tokens/${encodeURIComponent(id)}`));
  return (
    <section class="stack">
      <div class="p-row">
        <h3 class="grow">{t("tokens")}</h3>
        <Button icon="plus" aria-expanded={adding} onClick={() => setAdding(!adding)}>
          {t("newToken")}
        </Button>
      </div>
      {adding && (
        <NewToken
          done={(token) => {
            setShown(token);
            setAdding(false);
            void tokens.reload();
          }}
        />
      )}
      {shown !== undefined && <Shown token={shown} close={() => setShown(undefined)} />}
      <Outcome of={acting} />
      {confirm.dialog}
      <Loaded of={tokens}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>{t("noTokens")}</Empty>
          ) : (
            <TokenTable
              items={items}
              rotate={({ id, name }) =>
                confirm.ask({
                  title: t("rotate"),
                  text: t("rotateAsk", { name }),
                  yes: t("rotate"),
                  go: () => rotate(id),
                })
              }
              revoke={({ id, name }) =>
                confirm.ask({
                  title: t("revoke"),
                  text: t("revokeToken", { name }),
                  yes: t("revoke"),
                  go: () => revoke(id),
                })
              }
            />
          )
        }
      </Loaded>
    </section>
  );
}

/** A token that was just made: it is shown this once. */
function Shown({ token, close }: { readonly token: string; readonly close: () => void }) {
  return (
    <div class="note-box" role="status">
      <div class="stack grow">
        <strong>{t("tokenOnce")}</strong>
        <Copy text={token} />
        <span class="p-faint">{t("tokenExample")}</span>
        <Copy text={`curl -H "Authorization: Bearer ${token}" ${location.origin}/v1/models`} />
      </div>
      <Button size="small" kind="quiet" icon="close" label={c("close")} onClick={close} />
    </div>
  );
}

interface TokenTableProps {
  readonly items: readonly Token[];
  readonly rotate: (token: Token) => void;
  readonly revoke: (token: Token) => void;
}

function TokenTable({ items, rotate, revoke }: TokenTableProps) {
  return (
    <Table
      caption={t("tokens")}
      rows={items}
      rowKey={({ id }) => id}
      columns={[
        { id: "name", title: c("name"), cell: ({ name }) => name, sort: ({ name }) => name },
        {
          id: "scopes",
          title: t("scopes"),
          cell: ({ scopes }) => scopes.map((scope) => t(WORDS[scope])).join(", "),
        },
        {
          id: "created",
          title: t("created"),
          cell: ({ createdAt }) => dateTime(createdAt),
          sort: ({ createdAt }) => createdAt,
        },
        {
          id: "until",
          title: t("until"),
          cell: ({ expiresAt }) => (expiresAt === undefined ? t("expiresNever") : dateTime(expiresAt)),
          sort: ({ expiresAt }) => expiresAt,
        },
        {
          id: "budget",
          title: t("perDay"),
          cell: ({ budgetUsdPerDay }) => (budgetUsdPerDay === undefined ? "" : money(budgetUsdPerDay)),
          align: "end",
        },
        {
          id: "do",
          title: c("actions"),
          cell: (token) => (
            <div class="p-row">
              <Button size="small" kind="quiet" onClick={() => rotate(token)}>
                {t("rotate")}
              </Button>
              <Button size="small" kind="quiet" onClick={() => revoke(token)}>
                {t("revoke")}
              </Button>
            </div>
          ),
        },
      ]}
    />
  );
}

function NewToken({ done }: { readonly done: (token: string) => void }) {
  const acting = useAct();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["chat"]);
  const [days, setDays] = useState("90");
  const [budget, setBudget] = useState("");
  const create = async (): Promise<void> => {
    const answer = await api.post<z.infer<typeof NewTokenResponse>>("/auth/tokens", {
      name: name.trim(),
      scopes,
      ...(days !== "0" && { expiresAt: Math.round(nowMs()) + Number(days) * 86_400_000 }),
      ...(budget.trim() !== "" && { budgetUsdPerDay: Number(budget) }),
    });
    done(answer.body.token);
  };
  return (
    <div class="p-card stack">
      <TextField label={t("tokenName")} value={name} onValue={setName} maxLength={100} autofocus />
      <fieldset class="p-field p-group">
        <legend>{t("scopes")}</legend>
        {SCOPES.map((scope) => (
          <Check
            key={scope}
            label={t(WORDS[scope])}
            checked={scopes.includes(scope)}
            onChecked={(on) => setScopes(on ? [...scopes, scope] : scopes.filter((one) => one !== scope))}
          />
        ))}
      </fieldset>
      <Select
        label={t("expiresIn")}
        value={days}
        onValue={setDays}
        options={DAYS.map((n) => ({ value: String(n), label: n === 0 ? t("expiresNever") : t("expiresDays", { n }) }))}
      />
      <TextField label={t("budget")} value={budget} onValue={setBudget} inputMode="decimal" />
      <Outcome of={acting} />
      <div>
        <Act acting={acting} work={create} kind="primary" disabled={name.trim() === "" || scopes.length === 0}>
          {t("create")}
        </Act>
      </div>
    </div>
  );
}
