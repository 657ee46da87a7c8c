// A leader that fails again and again, under bully and under a stable bully.

export default {
  name: "flapping",
  scenario: "bully-flapping",
  title: { en: "The flapping leader", pt: "O líder que vai e volta" },
  steps: [
    {
      at: { role: "leader", process: 5 },
      en: ["5 leads, for now", "5 is the strongest, but its connection is bad: it will fail at ticks 100, 300 and 500, and be back 100 ticks later each time."],
      pt: ["O 5 lidera, por enquanto", "O 5 é o mais forte, mas sua conexão é ruim: vai falhar nos tiques 100, 300 e 500, e voltar 100 tiques depois, a cada vez."],
    },
    {
      at: { role: "leader", process: 4 },
      en: ["4 takes over", "The detector tells after 21 ticks. The others call an election; 4 is the next in rank and need not ask anybody: it takes over at once. 21 ticks without a leader."],
      pt: ["O 4 assume", "O detector avisa após 21 tiques. Os outros convocam uma eleição; o 4 é o seguinte e não precisa perguntar a ninguém: assume na hora. 21 tiques sem líder."],
    },
    {
      at: { role: "leader", process: 5, after: { kind: "recover" } },
      en: ["5 is back and bullies 4 out", "4 is well and did nothing wrong, yet it has to go. **Stability** is violated: a new leader only if the old one failed."],
      pt: ["O 5 volta e expulsa o 4", "O 4 está bem e não fez nada de errado, mas tem que sair. A **estabilidade** foi violada: novo líder só se o antigo falhou."],
    },
    {
      at: "end",
      messages: 93,
      en: ["Two changes for every failure", "Six changes of leader in 650 ticks, 93 messages. Everybody follows whoever leads at the moment; but a system whose leader changes all the time gets little else done."],
      pt: ["Duas trocas para cada falha", "Seis trocas de líder em 650 tiques, 93 mensagens. Todos seguem quem lidera no momento; mas um sistema cujo líder troca o tempo todo faz pouca coisa além disso."],
    },
    {
      scenario: "bully-flapping-stable",
      at: { clause: "come_back", process: 5 },
      en: [
        "A stable bully",
        "The remedy of the lecture notes: uninterrupted uptime counts, before the id, and who fails loses it. 5 lacks all ten units of it now (`lacking`). And it asks before it calls: `WhoLeads`?",
      ],
      pt: [
        "Um valentão estável",
        "O remédio das notas de aula: o tempo de execução ininterrupta conta, antes do id, e quem falha o perde. Ao 5 faltam agora todas as dez unidades dele (`lacking`). E pergunta antes de se candidatar: `WhoLeads`?",
      ],
    },
    {
      at: { clause: "accept_coordinator", process: 5, after: { kind: "recover" } },
      en: ["5 follows 4", "4 answers: I do. 5, though its id is larger, accepts it. No election at all."],
      pt: ["O 5 segue o 4", "O 4 responde: eu. O 5, embora de id maior, o aceita. Nenhuma eleição."],
    },
    {
      at: { clause: "accept_coordinator", process: 5, after: { kind: "recover", time: 600 } },
      tries: [{ label: { en: "Now let 4 fail", pt: "Agora deixe o 4 falhar" }, faults: [{ do: "crash", process: 4 }], leader: 3 }],
      en: ["One change for three failures", "4 took over once and stays. Let it fail, and see who follows: 5 is alive, but has just failed; 3 has been up all the time."],
      pt: ["Uma troca para três falhas", "O 4 assumiu uma vez e fica. Deixe-o falhar e veja quem o sucede: o 5 está vivo, mas acabou de falhar; o 3 esteve de pé o tempo todo."],
    },
    {
      at: "end",
      tries: [{ label: { en: "Let 4 fail now", pt: "Deixe o 4 falhar agora" }, faults: [{ do: "crash", process: 4 }], leader: 5 }],
      en: ["Temporarily, not for ever", "5 has been up for 1,000 ticks and lacks nothing any more. If 4 fails now, 5 leads: a failure lowers one's chances for a time."],
      pt: ["Temporariamente, não para sempre", "O 5 está de pé há 1.000 tiques e já não lhe falta nada. Se o 4 falhar agora, o 5 lidera: uma falha reduz as chances por um tempo."],
    },
  ],
};
