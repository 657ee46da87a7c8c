// The quorum of the lecture notes whose coordinators forget their grants when they restart.

export default {
  name: "amnesia",
  scenario: "quorum-amnesia",
  title: { en: "The forgetful quorum", pt: "O quórum sem memória" },
  steps: [
    {
      at: "start",
      en: [
        "Seven coordinators instead of one",
        "1 to 7 coordinate, 8 and 9 want in. A quorum is **m = 4 of n = 7**: two quorums always share at least 2m − n = 1 coordinator, and a coordinator grants to one at a time. So two can never be inside, and three coordinators may be down.",
      ],
      pt: [
        "Sete coordenadores em vez de um",
        "1 a 7 coordenam, 8 e 9 querem entrar. Um quórum são **m = 4 de n = 7**: dois quóruns sempre têm ao menos 2m − n = 1 coordenador em comum, e um coordenador autoriza um de cada vez. Assim nunca há dois dentro, e três coordenadores podem estar falhos.",
      ],
    },
    {
      at: { clause: "want_in", process: 8 },
      en: ["8 asks all seven", "Its links to 5, 6 and 7 do not work: three requests are lost on the spot. That does not matter. Four are enough."],
      pt: ["O 8 pede aos sete", "Seus canais para 5, 6 e 7 não funcionam: três requisições se perdem na hora. Não importa. Quatro bastam."],
    },
    {
      at: { clause: "count_grant", process: 8, role: "inside" },
      en: ["1, 2, 3 and 4 grant: 8 is inside", "Each of the four has noted `granted` = 8. It will grant to nobody else until 8 releases."],
      pt: ["1, 2, 3 e 4 autorizam: o 8 entra", "Cada um dos quatro anotou `granted` = 8. Não autoriza mais ninguém até que o 8 libere."],
    },
    {
      at: { kind: "crash", process: 4 },
      en: ["4 crashes", "One coordinator of seven: just what a quorum is meant to bear."],
      pt: ["O 4 falha", "Um coordenador em sete: exatamente o que um quórum deve tolerar."],
    },
    {
      at: { clause: "come_back", process: 4 },
      en: ["4 is back, and has forgotten", "The grant was in memory only. `granted` is None again. 4 does not know what it did, and does not know that it does not know."],
      pt: ["O 4 volta, e esqueceu", "A autorização estava só na memória. `granted` é None de novo. O 4 não sabe o que fez, e não sabe que não sabe: é a *perda de memória* das notas de aula."],
    },
    {
      at: { clause: "enqueue", process: 4, got: "Request", from: 9 },
      en: ["9 asks, and 4 grants a second time", "1, 2 and 3 put 9 into their queues: they remember 8. 4 sends `Grant`, for the second time in the same stay of 8."],
      pt: ["O 9 pede, e o 4 autoriza pela segunda vez", "1, 2 e 3 põem o 9 em suas filas: lembram do 8. O 4 envia `Grant`, pela segunda vez na mesma permanência do 8."],
    },
    {
      at: { clause: "count_grant", process: 9, role: "inside" },
      en: [
        "Two quorums, two inside",
        "{4, 5, 6, 7} is a quorum, too. **Mutual exclusion** is violated: all coordinators in the intersection, here just 4, have restarted. If each one restarts within such a stay with probability P = 0.0001 that happens in 4 of 10,000 cases. With n = 32 and m = 24 it takes 16 restarts: less than 10⁻⁴⁰.",
      ],
      pt: [
        "Dois quóruns, dois dentro",
        "{4, 5, 6, 7} também é um quórum. A **exclusão mútua** foi violada: todos os coordenadores da interseção, aqui só o 4, reiniciaram. Se cada um reinicia durante tal permanência com probabilidade P = 0,0001, isso ocorre em 4 de 10.000 casos. Com n = 32 e m = 24 são precisos 16 reinícios: menos de 10⁻⁴⁰.",
      ],
    },
    {
      scenario: "quorum-durable",
      at: { clause: "come_back", process: 4 },
      en: ["Remember instead: grants on disk", "The same run, but `granted` is durable. 4 is back, finds its grant to 8, and asks 8 whether that is still needed (`Inquiry`). It is."],
      pt: ["Lembrar: autorizações em disco", "A mesma execução, mas `granted` é durável. O 4 volta, encontra sua autorização ao 8 e pergunta ao 8 se ainda é necessária (`Inquiry`). É."],
    },
    {
      at: { clause: "count_grant", process: 9, from: 7 },
      en: ["9 has three grants, and waits", "5, 6 and 7, no more. One is missing, and it is kept by those who remember."],
      pt: ["O 9 tem três autorizações, e espera", "5, 6 e 7, não mais. Falta uma, e quem a guarda são os que lembram."],
    },
    {
      at: { clause: "count_grant", process: 9, role: "inside" },
      tries: [
        { label: { en: "Crash 5, 6 and 7 as well", pt: "Faça 5, 6 e 7 falharem também" }, faults: [{ do: "crash", process: 5 }, { do: "crash", process: 6 }, { do: "crash", process: 7 }], holds: "mutual_exclusion" },
      ],
      en: [
        "9 enters when 8 has left",
        "One after the other, through a crash. There is a third way, without a disk: after a restart a coordinator grants nothing until every grant it may have given has expired. That is `quorum-wait-out` in the gallery.",
      ],
      pt: [
        "O 9 entra quando o 8 sai",
        "Um após o outro, apesar de uma falha. Há uma terceira via, sem disco: depois de reiniciar, o coordenador não autoriza nada até que toda autorização que possa ter dado tenha expirado. É o `quorum-wait-out` da galeria.",
      ],
    },
    {
      scenario: "group-amnesia-broken",
      at: { kind: "recover", process: 2 },
      en: [
        "A group with its locks in memory forgets, too",
        "Three voters keep a table of locks in a Raft log, and write nothing of it to disk. 1 has the lock, and 1 and 2 have stored that. Now 1 is cut off, and 2 restarts with an empty log. This variant is broken: 2 votes again at once.",
      ],
      pt: [
        "Um grupo com as travas na memória também esquece",
        "Três votantes mantêm uma tabela de travas em um log do Raft, e nada dela vai para o disco. O 1 tem a trava, e 1 e 2 guardaram isso. Agora o 1 é isolado, e o 2 reinicia com um log vazio. Esta variante está errada: o 2 volta a votar na hora.",
      ],
    },
    {
      at: { role: "inside", process: 3 },
      en: ["Two inside, again", "2 and 3 are a majority. They elect 3, whose table has never heard of 1, and 3 lets itself in while 1 still has the lock."],
      pt: ["Dois dentro, de novo", "2 e 3 são uma maioria. Elegem o 3, cuja tabela nunca ouviu falar do 1, e o 3 entra enquanto o 1 ainda tem a trava."],
    },
    {
      scenario: "group-amnesia",
      at: { clause: "come_back", process: 2 },
      en: [
        "To know that one has forgotten is enough",
        "2 counts its restarts on disk, and nothing more. So it knows that it is `forgetful`, and says so. It does not vote until a leader has brought it up to date, or until every lease that it may have helped to grant is over.",
      ],
      pt: [
        "Saber que esqueceu já basta",
        "O 2 conta seus reinícios em disco, e nada mais. Assim sabe que é `forgetful`, e o diz. Não vota até que um líder o tenha atualizado, ou até que toda concessão que possa ter ajudado a dar tenha expirado.",
      ],
    },
    {
      at: { role: "inside", process: 3 },
      en: ["One after the other, without a disk", "1 heard from no majority, and left when its deadline passed. Only then could 2 vote; 3 is elected, and enters. The forgetful quorum is solved: a lock costs one round trip to a majority and no write."],
      pt: ["Um após o outro, sem disco", "O 1 não ouviu nenhuma maioria, e saiu quando seu prazo passou. Só então o 2 pôde votar; o 3 é eleito, e entra. O quórum sem memória está resolvido: uma trava custa uma ida e volta a uma maioria, e nenhuma escrita."],
    },
  ],
};
