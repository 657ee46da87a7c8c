// The lecture notes' example of the bully algorithm: five processes, seven steps.

const afterTheCrash = { kind: "crash", process: 5 };

export default {
  name: "bully",
  scenario: "bully-seven-steps",
  title: { en: "Bully in seven steps", pt: "O brigão em sete passos" },
  steps: [
    {
      at: "start",
      en: [
        "The strongest one alive leads",
        "Five processes know each other, and each knows who is stronger: whoever has the larger id. Who misses the leader asks all stronger ones. " +
          "Who is asked answers, and asks on. If nobody answers within **T = 21 ticks**, twice the longest journey of a message and one tick to think, " +
          "the asker is the strongest one alive. Silence is proof here, because the network is synchronous.",
      ],
      pt: [
        "Lidera o mais forte que estiver vivo",
        "Cinco processos se conhecem, e cada um sabe quem é mais forte: quem tem o maior identificador. Quem sente falta do líder pergunta a todos os mais fortes. " +
          "Quem é perguntado responde, e pergunta adiante. Se ninguém responde em **T = 21 tiques**, duas vezes a viagem mais longa de uma mensagem e um tique para pensar, " +
          "quem perguntou é o mais forte dos vivos. Aqui o silêncio é prova, porque o sistema é síncrono.",
      ],
    },
    {
      at: { clause: "take_office", process: 5 },
      en: [
        "1 · 5 is the leader",
        "All five stood at once. 5 has nobody to ask: it announced itself, and took office one message delay later, when everybody had heard. " +
          "This is where the lecture notes begin.",
      ],
      pt: [
        "1 · O líder é o 5",
        "Todos os cinco se candidataram juntos. O 5 não tem a quem perguntar: anunciou-se, e tomou posse um atraso de mensagem depois, quando todos já tinham ouvido. " +
          "É aqui que as notas de aula começam.",
      ],
    },
    {
      at: { clause: "call_election", process: 3, after: afterTheCrash },
      en: [
        "2 · 5 dies; 2 and 3 tire of waiting",
        "5 crashed at tick 30: its lane is broken. At tick 40 first 2, then 3 has waited enough. Each sends `ElectionCall` to all who are stronger, " +
          "2 to three processes, 3 to two, and forgets the old leader. The dead 5 is among those asked: nobody knows yet.",
      ],
      pt: [
        "2 · O 5 falha; 2 e 3 se cansam de esperar",
        "O 5 falhou no tique 30: sua linha está interrompida. No tique 40, primeiro o 2, depois o 3 esperou o bastante. Cada um envia `ElectionCall` (ELEIÇÃO) a todos os mais fortes, " +
          "o 2 a três processos, o 3 a dois, e esquece o líder antigo. O 5, já falho, está entre os perguntados: ninguém sabe ainda.",
      ],
    },
    {
      at: { kind: "lost", got: "ElectionCall", from: 3, towards: 5 },
      en: [
        "3 · 4 answers both, 3 answers 2",
        "`Answer` means: I am alive and stronger, leave it to me. 4 answers 2 and 3; 3 answers 2. What 2 and 3 sent to 5 ends in a cross, in front of a process that is no more.",
      ],
      pt: [
        "3 · O 4 responde aos dois, o 3 responde ao 2",
        "`Answer` (OK) quer dizer: estou vivo e sou mais forte, deixe comigo. O 4 responde ao 2 e ao 3; o 3 responde ao 2. O que 2 e 3 enviaram ao 5 termina numa cruz, diante de um processo que não existe mais.",
      ],
    },
    {
      at: { clause: "call_election", process: 1, after: afterTheCrash },
      en: ["4 · 1 stands, too", "1 knows nothing of all that. At tick 42 it calls an election of its own and asks all four who are stronger."],
      pt: ["4 · O 1 também se candidata", "O 1 não sabe de nada disso. No tique 42 convoca a sua própria eleição e pergunta aos quatro que são mais fortes."],
    },
    {
      at: { clause: "answer_call", process: 4, got: "ElectionCall", from: 1, after: afterTheCrash },
      en: [
        "5 · 2, 3 and 4 answer 1",
        "Even 2, which has long given up, answers: it is stronger than 1, and that is all that counts. 2 and 3 have had their answers, too; their `stage` is *waiting*: somebody stronger has to come forward now.",
      ],
      pt: [
        "5 · 2, 3 e 4 respondem ao 1",
        "Até o 2, que já desistiu, responde: é mais forte que o 1, e só isso conta. 2 e 3 também já têm suas respostas; o `stage` deles é *waiting*: alguém mais forte tem que aparecer agora.",
      ],
    },
    {
      at: { clause: "yield_to_stronger", process: 1, from: 4, after: afterTheCrash },
      light: { kind: "lost", got: "ElectionCall", from: 4, towards: 5 },
      en: [
        "6 · 4 asks the dead 5",
        "4 asked 5 the moment it was asked itself, at tick 41; the message died one tick later. In the notes this comes as a step of its own; here you see that it went on all the while. " +
          "From now on nothing moves. 4 waits for its timer, and every tick of silence says more clearly: there is nobody above me.",
      ],
      pt: [
        "6 · O 4 pergunta ao 5, que está falho",
        "O 4 perguntou ao 5 no instante em que foi perguntado, no tique 41; a mensagem morreu um tique depois. Nas notas isto é um passo à parte; aqui se vê que acontecia o tempo todo. " +
          "A partir de agora nada se move. O 4 espera o seu temporizador, e cada tique de silêncio diz mais claramente: não há ninguém acima de mim.",
      ],
    },
    {
      at: { clause: "take_office", process: 4, after: afterTheCrash },
      en: [
        "7 · 4 takes over",
        "At tick 62, 21 ticks after it had asked, the timer runs out: 4 sends `Coordinator` to 1, 2 and 3. It takes office at 72, not at once: for as long as a message may travel, somebody might still follow another.",
      ],
      pt: [
        "7 · O 4 assume",
        "No tique 62, 21 tiques depois de perguntar, o temporizador expira: o 4 envia `Coordinator` (COORD) a 1, 2 e 3. Toma posse no 72, não na hora: enquanto uma mensagem ainda pode estar a caminho, alguém poderia seguir outro líder.",
      ],
    },
    {
      at: "end",
      tries: [
        { label: { en: "Let 5 come back", pt: "Deixe o 5 voltar" }, faults: [{ do: "recover", process: 5 }], leader: 5 },
        { label: { en: "Let 4 die, too", pt: "Deixe o 4 falhar também" }, faults: [{ do: "crash", process: 4 }], calls: [{ who: [1] }], leader: 3 },
      ],
      en: [
        "Why “bully”?",
        "Let 5 come back and watch: although 4 leads and is well, 5 calls an election, nobody can stop it, and it takes the office back. If it fails again and again the system does nothing but elect. " +
          "That is the question of **stability**. Every button here makes a branch of its own: the story itself stays as it was.",
      ],
      pt: [
        "Por que “valentão”?",
        "Deixe o 5 voltar e observe: embora o 4 lidere e esteja bem, o 5 convoca uma eleição, ninguém consegue detê-lo, e ele retoma o cargo. Se falhar repetidamente, o sistema não faz outra coisa senão eleger. " +
          "É a questão da **estabilidade**. Cada botão aqui cria um ramo próprio: a história em si fica como era.",
      ],
    },
  ],
};
