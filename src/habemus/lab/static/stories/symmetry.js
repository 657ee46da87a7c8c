// Anel 1 of the lecture notes: without names both take the seat; with coins one does.

export default {
  name: "symmetry",
  scenario: "anonymous-ring-one",
  title: { en: "Ring 1: the curse of symmetry", pt: "Anel 1: a maldição da simetria" },
  steps: [
    {
      at: "start",
      en: [
        "Two processes without names",
        "All processes are alike: same program, same state, and no id that they could use. (The numbers in the picture are for you; the processes cannot see them.) " +
          "Each is a *follower*, may become *candidate*, then *elected*, and is *seated* in the end.",
      ],
      pt: [
        "Dois processos sem nome",
        "Todos os processos são idênticos: mesmo programa, mesmo estado, e nenhum identificador que possam usar. (Os números na figura são para você; os processos não os veem.) " +
          "Cada um é *seguidor*, pode se tornar *candidato*, depois *eleito*, e por fim é *empossado*.",
      ],
    },
    {
      at: { clause: "stand", process: 1 },
      en: ["One stands", "1 thinks that the leader is dead. It becomes a candidate and sends `VoteForMe` to its right."],
      pt: ["Um se candidata", "O 1 acha que o líder está morto. Torna-se candidato e envia `VoteForMe` (VoteEmMim) à sua direita."],
    },
    {
      at: { clause: "count_vote", process: 1 },
      en: [
        "Its vote comes home",
        "2 is a follower and passed it on. A candidate that receives `VoteForMe` takes it for its own, which has been all the way round: 1 is elected and says so, `HabemusLeader`.",
      ],
      pt: [
        "O voto volta para casa",
        "O 2 é seguidor e o repassou. Um candidato que recebe `VoteForMe` o toma pelo seu, que deu a volta no anel: o 1 está eleito e avisa, `HabemusLeader` (HabemosLíder).",
      ],
    },
    {
      at: "end",
      en: ["Seated: it works", "The news has been round, too. One leader, four messages, all properties hold. Remember what 1 saw: it stood, got a `VoteForMe`, got a `HabemusLeader`."],
      pt: ["Empossado: funciona", "A notícia também deu a volta. Um líder, quatro mensagens, todas as propriedades valem. Lembre o que o 1 viu: candidatou-se, recebeu um `VoteForMe`, recebeu um `HabemusLeader`."],
    },
    {
      scenario: "anonymous-ring-two",
      at: { clause: "stand", process: 2 },
      en: ["Now both stand at once", "Same program, same ring. By chance both become candidates in the same moment, and each sends its vote to the other."],
      pt: ["Agora ambos se candidatam ao mesmo tempo", "Mesmo programa, mesmo anel. Por acaso, ambos se tornam candidatos no mesmo instante, e cada um envia seu voto ao outro."],
    },
    {
      at: { clause: "count_vote", process: 1 },
      en: [
        "Each takes the other's vote for its own",
        "A vote has no name on it. 1 sees what it saw before: it stood, and a `VoteForMe` came. If it was right to be elected then, it is right now. But 2 sees exactly the same.",
      ],
      pt: [
        "Cada um toma o voto do outro pelo seu",
        "Um voto não traz nome. O 1 vê o que viu antes: candidatou-se, e chegou um `VoteForMe`. Se antes foi correto ser eleito, agora também é. Mas o 2 vê exatamente o mesmo.",
      ],
    },
    {
      at: { clause: "take_seat", process: 2, role: "leader" },
      en: [
        "Two leaders",
        "Both are seated: **uniqueness** is violated. Compare the two lanes: nothing tells one history from the other, so no rule whatever could have made them act differently. Equal processes in equal states stay equal (Angluin, 1980). That is no bug of this program.",
      ],
      pt: [
        "Dois líderes",
        "Ambos estão empossados: a **unicidade** foi violada. Compare as duas linhas: nada distingue uma história da outra, então nenhuma regra poderia tê-los feito agir de modo diferente. Processos iguais em estados iguais continuam iguais (Angluin, 1980). Não é um defeito deste programa.",
      ],
    },
    {
      scenario: "itai-rodeh-two",
      at: { clause: "stand", process: 2 },
      en: [
        "Coins break the symmetry",
        "Itai and Rodeh let each one draw a number. Still no names, but the states may differ now. Here both draw 2: they see it when the number has been round, and draw again, and then once more.",
      ],
      pt: [
        "Moedas quebram a simetria",
        "Itai e Rodeh deixam cada um sortear um número. Continuam sem nome, mas agora os estados podem diferir. Aqui ambos tiram 2: percebem isso quando o número deu a volta, e sorteiam de novo, e depois mais uma vez.",
      ],
    },
    {
      at: { role: "leader", process: 2 },
      tries: [
        { label: { en: "Other coins (seed 1)", pt: "Outras moedas (semente 1)" }, set: { seed: 1 }, leader: 1 },
        { label: { en: "Other coins (seed 2)", pt: "Outras moedas (semente 2)" }, set: { seed: 2 }, leader: 2 },
      ],
      en: [
        "One is alone with its number",
        "In the third round 1 draws 1 and 2 draws 2. The larger number has been round and met no equal: its owner leads. There are two ways out of symmetry: **coins**, as here, or **names**, as in all the other stories.",
      ],
      pt: [
        "Um está sozinho com o seu número",
        "Na terceira rodada o 1 tira 1 e o 2 tira 2. O maior número deu a volta e não encontrou igual: seu dono lidera. Há duas saídas da simetria: **moedas**, como aqui, ou **nomes**, como em todas as outras histórias.",
      ],
    },
  ],
};
