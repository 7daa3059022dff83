/** Texts of the gateway's commands and of its refusals to start. */
export const GATEWAY_TEXTS = {
  "about.gateway": {
    en: "run the agent with its browser page, API and channels",
    "zh-CN": "运行代理，并提供浏览器页面、接口与渠道",
  },
  "about.gateway.password": { en: "set the password for remote browsers", "zh-CN": "设置远程浏览器的登录密码" },
  "about.gateway.install": {
    en: "start the gateway with this machine (systemd, for this user)",
    "zh-CN": "随本机启动网关（当前用户的 systemd 服务）",
  },
  "about.gateway.uninstall": { en: "remove that service", "zh-CN": "移除该服务" },
  "about.open": { en: "a login link for the running gateway", "zh-CN": "为正在运行的网关生成登录链接" },
  "about.token": { en: "tokens for programs that use the API", "zh-CN": "供程序使用接口的令牌" },
  "about.token.create": { en: "make a token; it is shown once", "zh-CN": "创建令牌，仅显示一次" },
  "about.token.list": { en: "tokens, without their secrets", "zh-CN": "列出令牌（不含密钥）" },
  "about.token.rotate": { en: "a new secret for a token", "zh-CN": "为令牌更换密钥" },
  "about.token.revoke": { en: "refuse a token from now on", "zh-CN": "立即停用令牌" },
  "opt.gateway.host": { en: "address to listen on", "zh-CN": "监听地址" },
  "opt.gateway.port": { en: "port to listen on; 0: any free one", "zh-CN": "监听端口；0 为任意空闲端口" },
  "opt.gateway.open": { en: "open the page in the browser", "zh-CN": "在浏览器中打开页面" },
  "opt.gateway.noOpen": { en: "do not open the browser", "zh-CN": "不打开浏览器" },
  "opt.gateway.setup": {
    en: "only the page that sets the first password, until that is done",
    "zh-CN": "在设置首个密码之前只提供设置页面",
  },
  "opt.open.code": {
    en: "a code that confirms it is you, instead of a link",
    "zh-CN": "生成用于确认身份的代码，而非链接",
  },
  "opt.token.name": { en: "what it is for", "zh-CN": "用途名称" },
  "opt.token.scope": {
    en: "what it may do: owner, admin, chat, read, metrics",
    "zh-CN": "权限：owner、admin、chat、read、metrics",
  },
  "opt.token.days": { en: "ends after so many days", "zh-CN": "有效天数" },
  "opt.token.budget": { en: "spending limit a day in US dollars", "zh-CN": "每日花费上限（美元）" },
  "opt.token.grace": { en: "how many seconds the old secret still works", "zh-CN": "旧密钥继续有效的秒数" },

  "gateway.running": { en: "The gateway runs at {url}", "zh-CN": "网关运行于 {url}" },
  "gateway.link": {
    en: "Log in with this link (works once, for 5 minutes):\n  {link}",
    "zh-CN": "用此链接登录（仅一次，5 分钟内有效）：\n  {link}",
  },
  "gateway.setupLink": {
    en: "Set the first password with this link (works once, for 30 minutes):\n  {link}",
    "zh-CN": "用此链接设置首个密码（仅一次，30 分钟内有效）：\n  {link}",
  },
  "gateway.setUp": { en: "The password is set. The agent starts.", "zh-CN": "密码已设置，代理启动。" },
  "gateway.more": {
    en: "A new link: `margay open`. Stop: Ctrl+C.",
    "zh-CN": "新的链接：`margay open`。停止：Ctrl+C。",
  },
  "gateway.linkUsed": {
    en: "A link that was already used was tried again from {address}. If that was not you, look at `margay audit list`.",
    "zh-CN": "来自 {address} 的请求再次使用了已用过的链接。如非本人操作，请查看 `margay audit list`。",
  },
  "gateway.stopping": { en: "Stopping: work in hand is finished first.", "zh-CN": "正在停止：先完成手头的工作。" },
  "gateway.runsAlready": {
    en: "A gateway runs already at {url}. `margay open` gives a login link.",
    "zh-CN": "网关已在 {url} 运行。用 `margay open` 获取登录链接。",
  },
  "gateway.none": {
    en: "No gateway runs on this state directory. Start one with `margay gateway`.",
    "zh-CN": "此状态目录没有正在运行的网关。用 `margay gateway` 启动。",
  },
  "gateway.unreachable": {
    en: "The gateway at {url} does not answer: {reason}",
    "zh-CN": "位于 {url} 的网关没有应答：{reason}",
  },
  "gateway.refused": { en: "The gateway refused: {reason}", "zh-CN": "网关拒绝了请求：{reason}" },
  "gateway.code": {
    en: "Type this code in the browser (5 minutes, 5 tries):\n  {code}",
    "zh-CN": "在浏览器中输入此代码（5 分钟内有效，可试 5 次）：\n  {code}",
  },
  "gateway.badPort": { en: "--port takes 0 to 65535, not {value}.", "zh-CN": "--port 取 0 至 65535，而非 {value}。" },
  "gateway.portTaken": {
    en: "{host}:{port} is used by another program. Choose another with --port, or gateway.port.",
    "zh-CN": "{host}:{port} 已被其他程序占用。请用 --port 或 gateway.port 选择其他端口。",
  },
  "gateway.portClosed": {
    en: "{host}:{port} may not be opened by this user: low ports are the system's. Choose another with --port, or gateway.port.",
    "zh-CN": "当前用户无权打开 {host}:{port}：低位端口由系统保留。请用 --port 或 gateway.port 选择其他端口。",
  },
  "gateway.badTls": {
    en: "The certificate {cert} with the key {key} cannot be used ({reason}). Set gateway.tls to a certificate and its key in PEM.",
    "zh-CN": "无法使用证书 {cert} 与密钥 {key}（{reason}）。请将 gateway.tls 设为 PEM 格式的证书及其密钥。",
  },
  "gateway.noAddress": {
    en: "{host} is no address of this machine. Set gateway.host to one that is.",
    "zh-CN": "{host} 不是本机的地址。请将 gateway.host 设为本机地址。",
  },

  "gateway.passwordAsk": { en: "New password (12 bytes or more)", "zh-CN": "新密码（至少 12 字节）" },
  "gateway.passwordSet": {
    en: "The password is set. Browsers that were logged in have to log in again.",
    "zh-CN": "密码已设置。已登录的浏览器需要重新登录。",
  },
  "gateway.passwordMissing": {
    en: "No password was given. Type it, or pipe it in: margay gateway password < file",
    "zh-CN": "未提供密码。请输入，或由管道传入：margay gateway password < 文件",
  },

  "service.installed": {
    en: "The gateway runs as a service: {path}\nIt sees no variables of this shell: keep keys with `margay config set`. To run it without a login: loginctl enable-linger\nA login link: `margay open`. What it says: journalctl --user -u margay",
    "zh-CN":
      "网关已作为服务运行：{path}\n它看不到当前终端的环境变量：请用 `margay config set` 保存密钥。未登录时也要运行：loginctl enable-linger\n登录链接：`margay open`。查看输出：journalctl --user -u margay",
  },
  "service.removed": {
    en: "The service is removed. State and settings stay.",
    "zh-CN": "服务已移除，状态与设置保留。",
  },
  "service.none": { en: "There is no service: {path} does not exist.", "zh-CN": "没有该服务：{path} 不存在。" },
  "service.failed": {
    en: "`{command}` failed: {reason}. Where there is no systemd, start `margay gateway` with what your system has.",
    "zh-CN": "`{command}` 失败：{reason}。没有 systemd 时，请用系统自带的方式启动 `margay gateway`。",
  },

  "token.made": { en: "This is shown only now. Id: {id}", "zh-CN": "仅此一次显示。标识：{id}" },
  "token.none": { en: "There are no tokens.", "zh-CN": "没有令牌。" },
  "token.unknown": {
    en: "There is no token {id}. See `margay token list`.",
    "zh-CN": "没有令牌 {id}。参见 `margay token list`。",
  },
  "token.revoked": { en: "Token {id} is refused from now on.", "zh-CN": "令牌 {id} 已停用。" },
  "token.name": { en: "Name", "zh-CN": "名称" },
  "token.scopes": { en: "May", "zh-CN": "权限" },
  "token.until": { en: "Until", "zh-CN": "有效至" },
  "token.badScope": {
    en: "{name} is no scope. There are: owner, admin, chat, read, metrics.",
    "zh-CN": "没有 {name} 这个权限。可用：owner、admin、chat、read、metrics。",
  },
  "token.badNumber": {
    en: "{option} takes a number from {min} to {max}, not {value}.",
    "zh-CN": "{option} 取 {min} 至 {max} 的数，而非 {value}。",
  },

  "gateway.refuse.open": {
    en: "gateway.host is {host}, which others can reach, and there is neither a password nor a token. Run `margay gateway password` first, or start with --setup.",
    "zh-CN":
      "gateway.host 为 {host}，他人可以访问，但既没有密码也没有令牌。请先运行 `margay gateway password`，或以 --setup 启动。",
  },
  "gateway.refuse.plain": {
    en: "gateway.host is {host}, which others can reach, without TLS. Set gateway.tls; or gateway.trustedProxies to the proxy that adds TLS; or gateway.allowPlainHttp to true for a network you trust.",
    "zh-CN":
      "gateway.host 为 {host}，他人可以访问，但未使用 TLS。请设置 gateway.tls；或将 gateway.trustedProxies 设为提供 TLS 的代理；或在可信网络中将 gateway.allowPlainHttp 设为 true。",
  },
  "gateway.refuse.token": {
    en: "gateway.token is too easy to guess: {length} characters, {distinct} different ones. Use 32 random bytes: openssl rand -hex 32",
    "zh-CN":
      "gateway.token 太容易被猜到：{length} 个字符，其中 {distinct} 个不同。请使用 32 个随机字节：openssl rand -hex 32",
  },
  "gateway.refuse.sameSecret": {
    en: "gateway.hooks.{name}.secret is the same as {other}. Give each its own: openssl rand -hex 32",
    "zh-CN": "gateway.hooks.{name}.secret 与 {other} 相同。请各用各的密钥：openssl rand -hex 32",
  },
  "gateway.refuse.shared": {
    en: "{path} can be read by other users (mode {mode}). Run: chmod 600 {path}",
    "zh-CN": "{path} 可被其他用户读取（权限 {mode}）。请运行：chmod 600 {path}",
  },
  "gateway.refuse.proxyHeader": {
    en: "gateway.proxyAuth.header is {header}, which anybody on the way may set. Use a header that only the proxy sets.",
    "zh-CN": "gateway.proxyAuth.header 为 {header}，途中任何人都可设置。请使用仅由代理设置的请求头。",
  },
  "gateway.refuse.proxyPeers": {
    en: "gateway.proxyAuth.peers holds {network}, which is everybody. Name the proxy's own address.",
    "zh-CN": "gateway.proxyAuth.peers 含有 {network}，即所有人。请填写代理自身的地址。",
  },
  "gateway.refuse.file": {
    en: "{key} names {path}, which cannot be read: {reason}",
    "zh-CN": "{key} 指定的 {path} 无法读取：{reason}",
  },
} as const;
