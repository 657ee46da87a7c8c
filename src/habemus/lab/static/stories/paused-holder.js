// A paused holder comes back: told on real processes, in Live. `{holder}` and the like are filled in with what happens.

export default {
  lock: "stock",
  title: { en: "A paused holder comes back", pt: "Quem parou com a trava volta" },
  steps: [
    {
      en: [
        "The holder writes",
        "{now} Again and again it looks whether it still holds the lock, works for a moment, and writes to the store with its token. Any program does it in this order. Pause it.",
      ],
      pt: [
        "Quem tem a trava escreve",
        "{now} Repetidamente ele verifica se ainda tem a trava, trabalha um instante e escreve no repositório com o seu *token*. Qualquer programa faz isso nessa ordem. Pause-o.",
      ],
      act: "pause",
    },
    {
      en: [
        "{holder} stands still",
        "`SIGSTOP` has stopped PID {pid} after its look and before its write, as a long garbage collection or a virtual machine that is moved would. It cannot know. It renews nothing, so the time of its lease runs down. When it is over, the voters wait a little longer and let the next one in.",
      ],
      pt: [
        "O {holder} está parado",
        "`SIGSTOP` parou o PID {pid} depois da verificação e antes da escrita, como faria uma longa coleta de lixo ou uma máquina virtual em migração. Ele não tem como saber. Nada renova, e o tempo da sua concessão se esgota. Quando acabar, os votantes esperam um pouco mais e deixam entrar o próximo.",
      ],
    },
    {
      en: [
        "{next} has the lock, with a higher token",
        "Token {token} before, **{newer}** now: tokens only grow. {next} has written, so the store has seen {newer}. {holder} still believes that it holds the lock, and its write is ready. Let it go on.",
      ],
      pt: [
        "O {next} tem a trava, com um *token* maior",
        "*Token* {token} antes, **{newer}** agora: os *tokens* só crescem. O {next} escreveu, e por isso o repositório já viu {newer}. O {holder} ainda acredita ter a trava, e a sua escrita está pronta. Deixe-o continuar.",
      ],
      act: "resume",
    },
    {
      en: ["{holder} goes on", "`SIGCONT`. It does what it was about to do: it writes, with token {token}."],
      pt: ["O {holder} continua", "`SIGCONT`. Ele faz o que estava para fazer: escreve, com o *token* {token}."],
    },
    {
      en: [
        "The store refuses the write",
        "Token {token} is older than {newer}, which the store has seen: **refused**. Without tokens {holder} would have overwritten what another one wrote under the lock; no time-out and no look at the clock prevents that. {holder} has been told that its lease is lost, and works on as the others do.",
      ],
      pt: [
        "O repositório recusa a escrita",
        "O *token* {token} é mais velho que {newer}, que o repositório já viu: **recusada**. Sem *tokens* o {holder} teria sobrescrito o que outro escreveu sob a trava; nenhum *timeout* e nenhuma olhada no relógio impedem isso. O {holder} foi avisado de que perdeu a concessão e segue trabalhando como os outros.",
      ],
      act: "again",
    },
  ],
};
