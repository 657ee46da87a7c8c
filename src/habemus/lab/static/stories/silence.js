// Crashed or slow? To whoever waits the two runs are one and the same.

export default {
  name: "silence",
  scenario: "silent-crashed",
  title: { en: "Crashed, or only slow?", pt: "Falhou, ou só está lento?" },
  steps: [
    {
      at: { clause: "hear", process: 1, time: 41 },
      en: [
        "A failure detector",
        "1 and 2 say “I am alive” every 10 ticks. 1 looks every 7 ticks whether it has heard from 2 since, and counts the looks in `silence`. With every `Alive` it begins to count anew.",
      ],
      pt: [
        "Um detector de falhas",
        "1 e 2 dizem “estou vivo” a cada 10 tiques. A cada 7 tiques o 1 olha se ouviu o 2 desde então, e conta as olhadas em `silence`. A cada `Alive` recomeça a contagem.",
      ],
    },
    {
      at: { kind: "crash", process: 2 },
      en: ["2 crashes", "At tick 45 its lane breaks. You see that. 1 does not: nobody tells it."],
      pt: ["O 2 falha", "No tique 45 sua linha se interrompe. Você vê isso. O 1 não: ninguém lhe conta."],
    },
    {
      at: { clause: "look_around", process: 1, changed: { suspected: [2] } },
      en: ["1 decides: crashed", "The fourth look in vain, at tick 63. 1 suspects 2, and is right. Remember its lane, event by event."],
      pt: ["O 1 decide: falhou", "A quarta olhada em vão, no tique 63. O 1 suspeita do 2, e acerta. Guarde a sua linha, evento por evento."],
    },
    {
      scenario: "silent-slow",
      at: { kind: "pause", process: 2 },
      en: ["Once more: now 2 only stands still", "The same moment, tick 45. 2 does nothing for a while, but forgets nothing and will go on."],
      pt: ["De novo: agora o 2 só fica parado", "O mesmo momento, tique 45. O 2 não faz nada por um tempo, mas não esquece nada e vai continuar."],
    },
    {
      at: { clause: "look_around", process: 1, changed: { suspected: [2] } },
      en: [
        "1 decides: crashed. What else?",
        "It has seen **exactly the same** as before, so it does the same. This time it is wrong. Whatever 1 does at tick 63, in one of the two runs it is a mistake; waiting longer only moves the moment.",
      ],
      pt: [
        "O 1 decide: falhou. O que mais?",
        "Viu **exatamente o mesmo** que antes, então faz o mesmo. Desta vez erra. Seja o que for que o 1 faça no tique 63, em uma das duas execuções é um engano; esperar mais só adia o momento.",
      ],
    },
    {
      at: { kind: "resume", process: 2 },
      en: ["2 goes on", "57 ticks later 2 is back and knows nothing of all this: it reads the messages that were waiting for it, and says “I am alive”."],
      pt: ["O 2 continua", "57 tiques depois o 2 está de volta e não sabe de nada disso: lê as mensagens que o esperavam, e diz “estou vivo”."],
    },
    {
      at: { clause: "hear", process: 1, from: 2, changed: { suspected: [] } },
      tries: [{ label: { en: "Cut the link for good", pt: "Corte o canal de vez" }, faults: [{ do: "cut", links: [[1, 2]] }], violated: "accuracy" }],
      en: [
        "1 takes it back",
        "A mistake of 58 ticks. The lecture notes put it like this: *perfect* failure detection is impossible in an asynchronous system. What can be had is a detector that makes few mistakes and short ones, and algorithms that stay safe through them.",
      ],
      pt: [
        "O 1 se corrige",
        "Um engano de 58 tiques. As notas de aula dizem assim: detecção de falhas *perfeita* é impossível em um sistema assíncrono. O que se pode ter é um detector que erre pouco e por pouco tempo, e algoritmos que continuem seguros apesar disso.",
      ],
    },
  ],
};
