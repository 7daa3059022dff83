/** How the sandbox is doing: for `margay doctor`, `margay status` and the pages. */
export const SANDBOX_TEXTS = {
  "sandbox.ok": "commands run in a sandbox ({kind}); its self-test passed",
  "sandbox.okAs":
    "commands run in a sandbox ({kind}) as user {account}, whom their files belong to; its self-test passed",
  "sandbox.gitRefuses":
    "git, when root runs it, refuses the workspace, whose files belong to that user. To use it there all the same: `{command}`",
  "sandbox.network":
    "commands have no network, unless a call asks for it; then a person is asked once for each new host",
  "sandbox.noNetwork": "commands have no network in this sandbox",
  "doctor.labels": "label tracking: exact; which files a command read is known",
  "doctor.labelsCoarse":
    "label tracking: coarse (noatime). The file system of {path} keeps no access times, so files in which strangers had a hand are hidden from commands that do not name them; where there are more than 200, every command counts as having read them. Mount it with relatime, or put the workspace elsewhere.",
  "sandbox.off":
    "tools.exec.sandbox is none: nothing is confined, every command asks, and none runs where nobody can answer",
  "sandbox.no-bubblewrap": "commands do not run: bubblewrap (bwrap), which confines them, is not installed",
  "sandbox.bubblewrap-in-workspace":
    "commands do not run: the only bwrap lies in the workspace ({detail}), where a command could have put it",
  "sandbox.bubblewrap-too-old": "commands do not run: bubblewrap is older than 0.8 ({detail})",
  "sandbox.no-user-namespaces": "commands do not run: this system gives bubblewrap no user namespaces ({detail})",
  "sandbox.apparmor": "commands do not run: AppArmor keeps bubblewrap from confining them ({detail})",
  "sandbox.container":
    "commands do not run: this container may not make the namespaces a sandbox needs ({detail}); docs/install.md says with which options it may",
  "sandbox.no-setpriv":
    "commands do not run: margay runs as root, and setpriv (util-linux), which takes root's rights from them, is missing",
  "sandbox.no-sandbox-exec": "commands do not run: sandbox-exec cannot be used ({detail})",
  "sandbox.no-srt": "commands do not run: tools.exec.sandbox is srt, and no srt can be used {detail}",
  "sandbox.wsl1": "commands do not run: the first version of WSL cannot confine them",
  "sandbox.platform": "commands do not run: there is no sandbox for {detail}",
  "sandbox.architecture": "commands do not run: there is no system call filter for {detail}",
  "sandbox.workspace": "commands do not run: the workspace {detail} holds the system itself, or what must stay root's",
  "sandbox.workspace-closed": "commands do not run: the workspace {detail} cannot be entered or written to",
  "sandbox.shortage":
    "commands do not run: the sandbox could not be tested for lack of processes, memory or time ({detail}); try again",
  "sandbox.accounts":
    "commands do not run: margay runs as root, and each workspace then needs a user id of its own ({detail})",
  "sandbox.self-test": "commands do not run: the sandbox failed its own test ({detail})",
  "status.sandbox": "commands: only in a sandbox (tools.exec.sandbox {sandbox}; margay doctor tries it)",
  "status.sandboxOff": "commands: not confined (tools.exec.sandbox none); each is asked for",
} as const;
